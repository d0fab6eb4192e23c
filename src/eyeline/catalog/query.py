"""The search grammar: `words`, `"quoted phrases"`, `-excluded`, `prefix*`. Pure.

- Words are all wanted, in any order. A phrase in quotes is wanted word after word.
- `-word` and `-"a phrase"` exclude. A dash alone, or two (`--verbose`), is part of what is looked for.
- A star that ends a word finds every word that starts so. A star anywhere else is looked for as it stands.
- Everything else has no meaning of its own: `AND`, `NEAR(`, `C++`, `report-2024`, `it's`, `*` and `"` are looked for as
  they are written, apart from case, diacritics and the width of spaces. Sentence marks that end an unquoted word are
  dropped, so that a question can be pasted.

No text is refused for what it says, only for its length or its number of terms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from eyeline.catalog.folding import IndexForm, fold, index_form, is_of_word, is_unspaced, literal, positions
from eyeline.errors import LimitExceeded

MAX_QUERY_CHARS = 4096
MAX_TERMS = 64
_TERM = re.compile(r'(?P<minus>-?)"(?P<phrase>[^"]*[^"\s][^"]*)"|(?P<word>\S+)')
_EXCLUDED = re.compile(r"-(?=[^-\s])")
_SENTENCE_END = re.compile(r"(?<=[^\W_])[.,;:!?…]+$")


@dataclass(frozen=True)
class Term:
    """One thing that is looked for, folded, with single spaces."""

    text: str
    prefix: bool = False
    excluded: bool = False

    @cached_property
    def form(self) -> IndexForm:
        """The words, in order, and the symbols that a text holds when it holds this term."""
        return index_form(self.text)

    @property
    def searchable(self) -> bool:
        """Whether anything visible is left to look for."""
        return bool(self.form.words or self.form.symbols)

    @property
    def literal(self) -> bool:
        """Whether words and symbols alone do not settle it, so that the text itself must be looked at."""
        return bool(self.form.symbols)

    def first_in(self, folded: str) -> int:
        """Where this term first stands in a `literal` text, as whole words; -1 when it does not."""
        start = folded.find(self.text)
        while start >= 0:
            end = start + len(self.text)
            if not _joined(folded, start) and (self.prefix or not _joined(folded, end)):
                return start
            start = folded.find(self.text, start + 1)
        return -1


@dataclass(frozen=True)
class Query:
    """What is looked for. `blank` queries list; a query that is not blank but holds no terms finds nothing."""

    terms: tuple[Term, ...]
    blank: bool

    @property
    def wanted(self) -> tuple[Term, ...]:
        """Terms that must be there."""
        return tuple(term for term in self.terms if not term.excluded)

    @property
    def excluded(self) -> tuple[Term, ...]:
        """Terms that must not be there."""
        return tuple(term for term in self.terms if term.excluded)

    @property
    def literal(self) -> bool:
        """Whether some term needs a look at the text itself."""
        return any(term.literal for term in self.terms)

    def holds(self, text: str) -> bool:
        """Whether a text that the index offered passes the terms that the index alone does not settle."""
        folded = literal(text)
        return all((term.first_in(folded) >= 0) != term.excluded for term in self.terms if term.literal)

    def first_match(self, text: str) -> int:
        """Index into `text` of the first place where a wanted term begins; 0 when none is found."""
        folded, origins = positions(text)
        hits = [hit for term in self.wanted for hit in [_first_written(term, folded)] if hit >= 0]
        return origins[min(hits)] if hits else 0


def parse(text: str) -> Query:
    """Read a query. Raises `LimitExceeded` over `MAX_QUERY_CHARS` characters or `MAX_TERMS` terms, and nothing else."""
    if len(text) > MAX_QUERY_CHARS:
        raise LimitExceeded("the query is too long", limit="query_chars", allowed=MAX_QUERY_CHARS, asked=len(text))
    terms = tuple(dict.fromkeys(term for term in map(_term, _TERM.finditer(text)) if term.searchable))
    if len(terms) > MAX_TERMS:
        raise LimitExceeded("the query has too many terms", limit="query_terms", allowed=MAX_TERMS, asked=len(terms))
    return Query(terms, blank=not text.strip())


def terms_of(text: str) -> tuple[str, ...]:
    """The wanted terms of a query, folded, for finding them in folded text. Raises as `parse`."""
    return tuple(term.text for term in parse(text).wanted)


def _term(match: re.Match[str]) -> Term:
    if match["phrase"] is not None:
        return Term(literal(match["phrase"]), excluded=bool(match["minus"]))
    word = match["word"]
    excluded = _EXCLUDED.match(word) is not None
    word = _SENTENCE_END.sub("", word[1:] if excluded else word)
    prefix = len(word) > 1 and word.endswith("*") and is_of_word(fold(word[:-1])[-1:] or " ")
    return Term(literal(word[:-1] if prefix else word), prefix=prefix, excluded=excluded)


def _joined(text: str, index: int) -> bool:
    """Whether the characters before and at an index belong to one word."""
    if not 0 < index < len(text):
        return False
    return all(is_of_word(each) and not is_unspaced(each) for each in text[index - 1 : index + 1])


def _first_written(term: Term, folded: str) -> int:
    """Where a term begins in folded text of any spacing, between words; -1 when it does not stand there so."""
    words = r"\s+".join(map(re.escape, term.text.split(" ")))
    for match in re.finditer(words, folded):
        if not _joined(folded, match.start()) and (term.prefix or not _joined(folded, match.end())):
            return match.start()
    return -1
