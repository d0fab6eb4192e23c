"""What every store of attachments promises, as tests. A store's own test module subclasses `AttachmentContract`:

    class TestMyStore(AttachmentContract):
        def make_store(self, limits: AttachmentLimits, clock: Clock) -> AttachmentStore: ...
        def damage(self, store: AttachmentStore, ref: AttachmentRef) -> None: ...
        def lose(self, store: AttachmentStore, ref: AttachmentRef) -> None: ...

Any runner that calls the methods named `test_*` on a fresh instance will do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from eyeline.errors import EyelineError
from eyeline.model.attachment import AttachmentLimits, FileRef, ImageRef, ImageTarget
from eyeline.model.digest import Digest
from eyeline.model.limits import JPEG, PNG
from eyeline.request.attachments import Upload
from eyeline.testing.media import make_picture
from eyeline.testing.store_contract import Stream, code_of
from eyeline.wire import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Callable

    from eyeline.model.attachment import AttachmentRef
    from eyeline.request.attachments import AttachmentStore

LIMITS = AttachmentLimits()
TARGET = ImageTarget(32, 32, 100_000, (PNG, JPEG))
DAY_MS = 86_400_000


@dataclass(slots=True)
class Clock:
    """A clock that stands until it is moved; milliseconds."""

    now_ms: int = 1_800_000_000_000

    def __call__(self) -> int:
        """What it says."""
        return self.now_ms


def refusal_of(call: Callable[[], object]) -> tuple[object, object]:
    """The refusal that a call is answered with, and the place in the batch."""
    try:
        call()
    except EyelineError as error:
        return error.detail.get("refusal"), error.detail.get("index")
    return None, None


def lies_about(ref: ImageRef) -> list[ImageRef]:
    """References to the object of this one that say something else of it."""
    return [
        replace(ref, byte_count=ref.byte_count + 1),
        replace(ref, width_px=ref.width_px * 2),
        replace(ref, height_px=1),
        replace(ref, has_alpha=not ref.has_alpha),
    ]


class _Made:
    def make_store(self, limits: AttachmentLimits, clock: Clock) -> AttachmentStore:
        """An empty store."""
        raise AssertionError("the subclass makes the store")

    def damage(self, store: AttachmentStore, ref: AttachmentRef) -> None:
        """Change a byte of a kept object behind the store's back."""
        raise AssertionError("the subclass knows how")

    def lose(self, store: AttachmentStore, ref: AttachmentRef) -> None:
        """Remove a kept object behind the store's back."""
        raise AssertionError("the subclass knows how")

    def store(self, **limits: int) -> AttachmentStore:
        """A store with some limits of its own."""
        self.clock = Clock()
        return self.make_store(replace(LIMITS, **limits), self.clock)


class SavingContract(_Made):
    """What is kept, whole batches, and what is refused."""

    def test_a_picture_comes_back_as_it_was_uploaded_and_as_it_is_kept(self) -> None:
        store, data = self.store(), make_picture("image/bmp", width=40, height=30)
        ref = store.save_image(Stream(data[:100], data[100:]), name="plan.bmp")
        assert store.read_original(ref) == data
        assert (ref.original.digest, ref.original.byte_count) == (Digest.of(data), len(data))
        assert (str(ref.original.media_type), ref.original.width_px, ref.original.height_px) == ("image/bmp", 40, 30)
        kept = store.read(ref)
        assert (Digest.of(kept), len(kept), str(ref.media_type)) == (ref.attachment_id, ref.byte_count, "image/png")

    def test_a_clean_small_picture_is_the_normalised_object_itself(self) -> None:
        store, data = self.store(), make_picture("image/png", width=40, height=30)
        ref = store.save_image(data, name="dot.png")
        assert (store.read(ref), ref.attachment_id, ref.byte_count) == (data, Digest.of(data), len(data))

    def test_a_reference_is_portable_json(self) -> None:
        store = self.store()
        image, file = (
            store.save_image(make_picture("image/png", width=4, height=3)),
            store.save_file(b"a", name="b.txt"),
        )
        assert loads(ImageRef, dumps(image)) == image
        assert loads(FileRef, dumps(file)) == file

    def test_a_file_keeps_its_exact_bytes_under_its_leaf_name(self) -> None:
        store = self.store()
        ref = store.save_file(Stream(b"a,b\n", b"1,2\n"), name="/home/somebody/../Table of March.csv")
        assert (ref.name, str(ref.media_type), ref.byte_count) == ("Table of March.csv", "text/csv", 8)
        assert store.read(ref) == store.read_original(ref) == b"a,b\n1,2\n"
        other = store.save_file(b"a,b\n1,2\n", name="same.csv")
        assert (other.attachment_id, other.name) == (ref.attachment_id, "same.csv")
        assert store.read(other) == store.read(ref)

    def test_the_bytes_say_whether_it_is_a_picture(self) -> None:
        store, data = self.store(), make_picture("image/png", width=4, height=3)
        kept = store.save([Upload(data, "a.txt"), Upload(b"words", "b.png"), Upload(data, "c.png", kind="file")])
        assert [ref.kind for ref in kept] == ["image", "file", "file"]

    def test_one_bad_picture_keeps_the_whole_batch_out(self) -> None:
        store, good = self.store(), make_picture("image/jpeg", width=200, height=150)
        batch = [Upload(good, "a.jpg"), Upload(good[: len(good) // 2], "b.jpg"), Upload(good, "c.jpg")]
        assert refusal_of(lambda: store.save_images(batch)) == ("cut_short", 1)
        assert [*store.list()] == []
        assert (store.usage().objects, store.usage().byte_count) == (0, 0)
        assert [*store.unnamed(before_ms=1 << 60)] == []

    def test_every_refusal_has_its_code(self) -> None:
        store = self.store(max_bytes=5_000, max_message_bytes=6_000, max_pixels=3_000, max_side_px=100, max_images=2)
        small = make_picture("image/png", width=20, height=10)
        asked: list[tuple[list[bytes], str, int | None]] = [
            ([b""], "empty", 0),
            ([small, b"<html><body>no</body></html>"], "not_a_picture", 1),
            ([bytes(5_001)], "too_large", 0),
            ([make_picture("image/png", width=60, height=60)], "too_many_pixels", 0),
            ([make_picture("image/png", width=101, height=2)], "side_too_long", 0),
            ([small] * 3, "too_many_images", None),
        ]
        for batch, refusal, index in asked:
            uploads = [Upload(data, "a.png") for data in batch]
            assert refusal_of(lambda uploads=uploads: store.save_images(uploads)) == (refusal, index)
        files = [Upload(bytes(4_000), "a.bin"), Upload(bytes(4_000), "b.bin")]
        assert refusal_of(lambda: store.save(files)) == ("message_too_large", 1)
        assert [*store.list()] == []

    def test_what_is_looked_at_only_is_not_kept(self) -> None:
        store, data = self.store(), make_picture("image/png", width=200, height=150)
        seen = store.validate(data, name="a.png")
        assert (seen.digest, seen.width_px, seen.height_px) == (Digest.of(data), 200, 150)
        assert refusal_of(lambda: store.validate(data[:60])) == ("cut_short", None)
        assert store.usage().objects == 0


class RequestContract(_Made):
    """Pictures for requests."""

    def test_two_names_for_the_same_bytes_share_a_variant_and_keep_their_names(self) -> None:
        store, data = self.store(), make_picture("image/png", width=64, height=48)
        one, two = store.save_images([Upload(data, "one.png"), Upload(data, "two.png")])
        assert (one.name, two.name, one.attachment_id) == ("one.png", "two.png", two.attachment_id)
        assert store.request_image(one, TARGET) == store.request_image(two, TARGET)
        assert [entry.ref for entry in store.list()] == sorted(
            [one, two], key=lambda ref: Digest.of(dumps(ref).encode())
        )

    def test_the_same_reference_and_target_give_the_same_bytes(self) -> None:
        store, data = self.store(), make_picture("image/jpeg", width=64, height=48)
        ref = store.save_image(data, name="a.jpg")
        sent = store.request_image(ref, TARGET)
        other = self.store()
        assert other.request_image(other.save_image(data, name="b.jpg"), TARGET) == sent
        assert (sent.size.width_px, sent.size.height_px) == (32, 24)
        assert sent.digest == Digest.of(sent.bytes)

    def test_a_batch_of_pictures_is_prepared_each_once_and_one_failure_is_its_own(self) -> None:
        store = self.store()
        refs = [store.save_image(make_picture("image/png", width=40 + n, height=30), name=f"{n}.png") for n in range(3)]
        self.lose(store, refs[1])
        made = store.request_images([(refs[0], TARGET), (refs[1], TARGET), (refs[2], TARGET), (refs[0], TARGET)])
        assert [getattr(each, "code", "picture") for each in made] == [
            "picture",
            "attachment_not_found",
            "picture",
            "picture",
        ]
        assert made[0] is made[3]

    def test_what_is_damaged_or_gone_is_said_and_nothing_else(self) -> None:
        store = self.store()
        ref = store.save_image(make_picture("image/png", width=64, height=48), name="a.png")
        self.damage(store, ref)
        assert code_of(lambda: store.read(ref)) == "integrity_error"
        assert code_of(lambda: store.request_image(ref, TARGET)) == "integrity_error"
        self.lose(store, ref)
        assert code_of(lambda: store.read(ref)) == "attachment_not_found"
        assert code_of(lambda: store.request_image(ref, TARGET)) == "attachment_not_found"

    def test_a_reference_that_says_other_facts_than_its_object_has_gives_no_picture_and_spoils_no_other(self) -> None:
        store = self.store()
        ref = store.save_image(make_picture("image/jpeg", width=64, height=48), name="a.jpg")
        sent = store.request_image(ref, TARGET)
        for lie in lies_about(ref):
            assert code_of(lambda lie=lie: store.request_image(lie, TARGET)) == "integrity_error"
            for wanted in ([ref, lie], [lie, ref]):
                made = store.request_images([(each, TARGET) for each in wanted])
                expected: list[object] = ["integrity_error" if each is lie else sent for each in wanted]
                assert [getattr(each, "code", each) for each in made] == expected

    def test_a_reference_under_another_name_is_as_good(self) -> None:
        store = self.store()
        ref = store.save_image(make_picture("image/png", width=64, height=48, mode="RGBA"), name="a.png")
        assert store.request_image(replace(ref, name="b.png"), TARGET) == store.request_image(ref, TARGET)

    def test_a_target_without_room_is_refused(self) -> None:
        store = self.store()
        ref = store.save_image(make_picture("image/png", width=64, height=48))
        assert code_of(lambda: store.request_image(ref, replace(TARGET, width_px=0))) == "invalid_request"
        assert code_of(lambda: store.request_image(ref, replace(TARGET, max_bytes=20))) == "media_too_large"


class KeepingContract(_Made):
    """Holders, deleting, collecting, the quota."""

    def test_what_somebody_holds_is_neither_deleted_nor_collected(self) -> None:
        store = self.store()
        ref = store.save_image(make_picture("image/bmp", width=20, height=10), name="a.bmp")
        store.hold("conversation 1", ref)
        store.hold("conversation 2", ref)
        assert code_of(lambda: store.delete(ref)) == "attachment_held"
        self.clock.now_ms += 400 * DAY_MS
        assert store.collect(grace_ms=0).objects == 0
        assert [entry.holders for entry in store.list()] == [("conversation 1", "conversation 2")]
        assert (store.release("conversation 1"), store.release("conversation 2", ref)) == (1, 1)
        assert store.delete(ref)
        assert not store.delete(ref)
        assert code_of(lambda: store.read(ref)) == code_of(lambda: store.read_original(ref)) == "attachment_not_found"
        assert store.usage().byte_count == 0

    def test_an_object_that_another_attachment_needs_stays(self) -> None:
        store, data = self.store(), make_picture("image/bmp", width=20, height=10)
        one, two = store.save_image(data, name="one.bmp"), store.save_image(data, name="two.bmp")
        kept = store.save_image(store.read(one), name="kept.png")
        assert store.delete(one)
        assert store.read_original(two) == data
        assert store.delete(two)
        assert code_of(lambda: store.read_original(two)) == "attachment_not_found"
        assert store.read(kept)

    def test_a_collection_takes_what_nobody_held_for_the_grace_period(self) -> None:
        store = self.store()
        old, again, held = (store.save_file(name.encode(), name=name) for name in ("old.txt", "again.txt", "held.txt"))
        store.hold("somebody", held)
        self.clock.now_ms += DAY_MS
        assert store.save_file(b"again.txt", name="again.txt") == again
        report = store.collect(grace_ms=DAY_MS)
        assert (report.attachments, report.objects, report.byte_count) == (1, 1, len("old.txt"))
        assert code_of(lambda: store.read(old)) == "attachment_not_found"
        assert (store.read(again), store.read(held)) == (b"again.txt", b"held.txt")

    def test_only_what_is_there_can_be_held(self) -> None:
        store = self.store()
        ref = store.save_file(b"a", name="a.txt")
        store.delete(ref)
        assert code_of(lambda: store.hold("somebody", ref)) == "attachment_not_found"
        assert [*store.list()] == []

    def test_what_nobody_stored_as_its_reference_says_is_not_held_and_not_recorded(self) -> None:
        store = self.store()
        ref = store.save_image(make_picture("image/bmp", width=64, height=48), name="a.bmp")
        for lie in lies_about(ref):
            assert code_of(lambda lie=lie: store.hold("somebody", lie)) == "integrity_error"
        longer = replace(ref, original=replace(ref.original, byte_count=ref.original.byte_count + 1))
        assert code_of(lambda: store.hold("somebody", longer)) == "integrity_error"
        elsewhere = replace(ref, original=replace(ref.original, digest=Digest.of(b"never stored")))
        assert code_of(lambda: store.hold("somebody", elsewhere)) == "attachment_not_found"
        text = store.save_file(b"words", name="a.txt")
        assert code_of(lambda: store.hold("somebody", replace(text, byte_count=6))) == "integrity_error"
        assert [entry.holders for entry in store.list()] == [(), ()]
        renamed = replace(ref, name="b.bmp")
        store.hold("somebody", renamed)
        assert [entry.ref for entry in store.list() if entry.holders] == [renamed]

    def test_what_is_saved_for_a_holder_is_held_from_the_moment_it_is_kept(self) -> None:
        store = self.store()
        (ref,) = store.save([Upload(b"words", "a.txt")], holder="talk")
        assert [entry.holders for entry in store.list()] == [("talk",)]
        assert store.collect(grace_ms=0).attachments == 0
        assert code_of(lambda: store.delete(ref)) == "attachment_held"

    def test_over_the_quota_nothing_is_kept(self) -> None:
        store = self.store(quota_bytes=10)
        store.save_file(b"123456", name="a.txt")
        assert refusal_of(lambda: store.save_file(b"1234567", name="b.txt")) == ("over_quota", None)
        assert store.save_file(b"123456", name="a.txt").byte_count == 6
        usage = store.usage()
        assert (usage.attachments, usage.objects, usage.byte_count, usage.quota_bytes) == (1, 1, 6, 10)
        assert [*store.unnamed(before_ms=1 << 60)] == []


class AttachmentContract(SavingContract, RequestContract, KeepingContract):
    """Everything a store of attachments promises."""
