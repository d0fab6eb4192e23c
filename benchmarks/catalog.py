"""The catalogue and the audit log against bare `sqlite3` on the same records, and the index against FTS5's trigrams.

Bare `sqlite3` keeps the same durability (WAL, `synchronous = FULL`). Ten thousand passages of 200 words are searched.
"""

from __future__ import annotations

import itertools
import random
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from benchmarks.table import Row, in_turns, printed
from eyeline.catalog.audit import AuditLog
from eyeline.catalog.catalog import Catalog
from eyeline.catalog.folding import fold, index_form
from eyeline.testing.audit_contract import RELEASED
from eyeline.testing.catalog_samples import convert, take_in

PASSAGES, TEXTS = 10_000, 2_500


def words_apart(count: int, *, words: int) -> list[str]:
    """Texts of words from a vocabulary of 20 000, always the same."""
    chosen = random.Random(1)
    vocabulary = ["".join(chosen.choices("etaoinshrdlucmfw", k=chosen.randint(3, 9))) for _ in range(20_000)]
    return [" ".join(chosen.choices(vocabulary, k=words)) for _ in range(count)]


def chinese(count: int, *, characters: int) -> list[str]:
    """Texts without spaces from three thousand characters, always the same."""
    chosen = random.Random(1)
    han = [chr(0x4E00 + index) for index in range(3000)]
    return ["".join(chosen.choices(han, k=characters)) for _ in range(count)]


def bare(path: Path, *schema: str) -> sqlite3.Connection:
    """A database as durable as ours."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", *schema):
        connection.execute(statement)
    return connection


def opening(folder: Path, texts: list[str]) -> list[Row]:
    """Open an existing catalogue and search it; keep the passages in the first place."""
    path = folder / "catalog.sqlite"
    takes = itertools.count(1)
    with Catalog.open(path) as catalog, closing(bare(folder / "bare.sqlite")) as peer:
        recorded = take_in(catalog, "a.pdf")

        def keep() -> None:
            convert(catalog, recorded, texts=texts, take=next(takes))

        def keep_bare() -> None:
            peer.execute("BEGIN")
            peer.execute("DROP TABLE IF EXISTS held")
            peer.execute("CREATE VIRTUAL TABLE held USING fts5(words)")
            peer.executemany("INSERT INTO held VALUES (?)", ((text,) for text in texts))
            peer.execute("COMMIT")

        kept, kept_bare = in_turns(keep, keep_bare, runs=1)
        word = texts[0].split()[0]
        query = "SELECT rowid, words FROM held WHERE held MATCH ? ORDER BY bm25(held) LIMIT 20"
        searched, searched_bare = in_turns(
            lambda: catalog.search(word), lambda: peer.execute(query, (f'"{word}"',)).fetchall(), runs=21
        )

    def open_and_read() -> None:
        with Catalog.open(path) as opened:
            opened.document("doc_none")

    def open_and_read_bare() -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("SELECT * FROM documents WHERE doc_id = 'doc_none'").fetchall()

    opened, opened_bare = in_turns(open_and_read, open_and_read_bare, runs=21)
    return [
        Row("open a catalogue and read", opened, "sqlite3", opened_bare, remark="the database library is loaded"),
        Row(f"keep a reading of {PASSAGES} passages", kept, "FTS5 alone", kept_bare, remark="with texts and records"),
        Row(f"search a word in {PASSAGES} passages", searched, "FTS5 alone", searched_bare, remark="20 matches"),
    ]


def appending(folder: Path) -> list[Row]:
    """Append an audit record and have it on the disk."""
    schema = "CREATE TABLE log (seq INTEGER PRIMARY KEY, record TEXT)"
    with AuditLog.open(folder / "audit.sqlite") as log, closing(bare(folder / "log.sqlite", schema)) as peer:
        ours, theirs = in_turns(
            lambda: log.released(RELEASED),
            lambda: peer.execute("INSERT INTO log (record) VALUES (?)", (str(RELEASED),)),
            runs=101,
        )
    return [Row("append an audit record", ours, "INSERT in sqlite3", theirs, remark="chained, durable")]


def indexing() -> Row:
    """Index texts of both kinds by characters and words, or by trigrams."""
    texts = chinese(TEXTS, characters=400) + words_apart(TEXTS, words=200)
    found: dict[str, str] = {}

    def index(tokenizer: str, form: Callable[[str], str]) -> None:
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute(f"CREATE VIRTUAL TABLE held USING fts5(words, tokenize = '{tokenizer}')")
            database.executemany("INSERT INTO held VALUES (?)", ((form(text),) for text in texts))
            database.execute("INSERT INTO held(held) VALUES ('optimize')")
            (size,) = database.execute("SELECT sum(length(block)) FROM held_data").fetchone()
            asked = (f'"{form(texts[7][:length])}"' for length in (1, 2, 3))
            counts = [
                database.execute("SELECT count(*) FROM held WHERE held MATCH ?", (each,)).fetchone()[0]
                for each in asked
            ]
            found[tokenizer] = f"{size / 1e6:.1f} MB, 1 to 3 characters find {counts}"

    ours, theirs = in_turns(
        lambda: index("ascii", lambda text: index_form(fold(text)).words), lambda: index("trigram", fold), runs=3
    )
    truth = [sum(texts[7][:length] in text for text in texts) for length in (1, 2, 3)]
    remark = f"ours {found['ascii']}; trigrams {found['trigram']}; there are {truth}"
    return Row(f"index {len(texts)} texts", ours, "FTS5 trigram", theirs, remark=remark)


def rows() -> list[Row]:
    """Measure."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return [*opening(folder, words_apart(PASSAGES, words=200)), *appending(folder), indexing()]


if __name__ == "__main__":
    print(printed(rows()))
