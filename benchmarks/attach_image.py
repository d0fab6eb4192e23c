"""Saving a 12 MP photograph as an attachment, and the pictures that requests get of it, against sharp and Pillow.

Saving is end to end: receive, hash, decode in full, turn, take to sRGB, encode, read again, write upload and object,
sync files and folders. The peers do the same work, and decode again in full, in a warm process: sharp with its own
threads, Pillow in this one. Neither forks a child, walks a container, keeps records or counts a quota. Every run saves
into an empty folder.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import os
import secrets
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from PIL import Image, ImageCms, ImageOps

from benchmarks.peers import peer_node
from benchmarks.picture_rendition import srgb
from benchmarks.table import Row, in_turns
from eyeline.catalog.catalog import Catalog
from eyeline.media.bounded.pool import BoundedPool
from eyeline.media.sample_pictures import display_p3, make_photo
from eyeline.model.attachment import AttachmentLimits, ImageRef, ImageTarget
from eyeline.model.digest import Digest
from eyeline.model.limits import JPEG, PNG, Limits
from eyeline.render.cache import PictureCache
from eyeline.request.attachments import AttachmentStore
from eyeline.request.objects import LocalObjects
from eyeline.request.variants import VariantFacts

RUNS = 7
SHARP_AIM, PILLOW_AIM = 0.9, 0.6
TARGET = ImageTarget(1568, 1568, 3_750_000, (PNG, JPEG))
SHARP = "sharp@0.35.5"
UPRIGHT = "save a 12 MP JPEG that is upright"


def stores(folder: Path, stack: ExitStack, *, pool: BoundedPool, count: int) -> Iterator[AttachmentStore]:
    """Empty stores, each with its records, opened before anything is measured."""
    made: list[AttachmentStore] = []
    for number in range(count):
        home = folder / f"home-{number}"
        home.mkdir()
        index = stack.enter_context(Catalog.open(home / "catalog.sqlite")).attachments
        store = AttachmentStore(
            LocalObjects(home / "attachments"),
            index=index,
            pool=pool,
            limits=AttachmentLimits(),
            decoding=Limits(),
            clock_ms=lambda: 0,
            cache=PictureCache(home / "cache", 1 << 30, keeps=index.keeps, facts=VariantFacts),
        )
        store.usage()
        made.append(store)
    return iter(made)


def by_pillow(data: bytes, folder: Path) -> None:
    """The same work with Pillow, in this process."""
    with Image.open(io.BytesIO(data)) as image:
        profile = image.info.get("icc_profile")
        upright = ImageOps.exif_transpose(image)
    if profile:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        ImageCms.profileToProfile(upright, source, srgb(), inPlace=True)
    out = io.BytesIO()
    upright.save(out, "JPEG", quality=92, subsampling="4:2:0", exif=b"", icc_profile=None)
    with Image.open(io.BytesIO(out.getvalue())) as again:
        again.load()
    for each in (data, out.getvalue()):
        kept(folder, each)


def kept(folder: Path, data: bytes) -> None:
    """Bytes under their digest, synced."""
    staged = folder / secrets.token_hex(8)
    with staged.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    staged.chmod(0o400)
    staged.rename(folder / hashlib.sha256(data).hexdigest())
    descriptor = os.open(folder, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


class Sharp:
    """The warm process over sharp."""

    def __init__(self, modules: Path) -> None:
        script = Path(__file__).with_suffix(".js")
        command = ["node", str(script), str(modules)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def work(self, source: Path, folder: Path, mode: str) -> None:
        """One piece of work, to its end."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{source}\t{folder}\t{mode}\n")
        process.stdin.flush()
        if process.stdout.readline() != "done\n":
            raise SystemExit("sharp ended before its work was done")

    def close(self) -> None:
        """End it."""
        with self._process as process:
            assert process.stdin is not None
            process.stdin.close()


def fresh(folder: Path) -> Callable[[], Path]:
    """Empty folders, one after the other."""
    numbers = itertools.count()

    def made() -> Path:
        new = folder / f"peer-{next(numbers)}"
        new.mkdir()
        return new

    return made


def rows() -> Iterator[Row]:
    """Three photographs saved, then a request image cold and hot."""
    modules = peer_node("sharp", packages=(SHARP,))
    cases = {
        "save a 12 MP JPEG that lies on its side": make_photo(3024, 4032, orientation=6, gps=True),
        "save a 12 MP JPEG on its side, in Display P3": make_photo(
            3024, 4032, orientation=6, gps=True, profile=display_p3()
        ),
        UPRIGHT: make_photo(3024, 4032, gps=True),
    }
    for work, data in cases.items():
        with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
            yield from _saved(work, data, Path(name), stack, modules=modules)
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        yield from _requested(next(iter(cases.values())), Path(name), stack, modules=modules)


def _saved(work: str, data: bytes, folder: Path, stack: ExitStack, *, modules: Path | None) -> Iterator[Row]:
    pool = stack.enter_context(BoundedPool())
    ready, empty = stores(folder, stack, pool=pool, count=RUNS + 1), fresh(folder)
    upload = folder / "upload.jpg"
    upload.write_bytes(data)
    acts: list[Callable[[], object]] = [
        lambda: next(ready).save_image(upload.read_bytes(), name="upload.jpg"),
        lambda: by_pillow(upload.read_bytes(), empty()),
    ]
    if modules is not None:
        sharp = Sharp(modules)
        stack.callback(sharp.close)
        acts.append(lambda: sharp.work(upload, empty(), "save"))
    ours, pillow, *rest = in_turns(*acts, runs=RUNS)
    pillow_aim, sharp_aim = (None, None) if work == UPRIGHT else (PILLOW_AIM, SHARP_AIM)
    said = "ours only takes its metadata out" if work == UPRIGHT else f"{len(data) / 1e6:.1f} MB"
    yield Row(work, ours, "Pillow in process", pillow, pillow_aim, said)
    for theirs in rest:
        yield Row(work, ours, SHARP, theirs, sharp_aim, "sharp takes all cores, a job of ours two at most")


def _requested(data: bytes, folder: Path, stack: ExitStack, *, modules: Path | None) -> Iterator[Row]:
    pool = stack.enter_context(BoundedPool())
    store = next(stores(folder, stack, pool=pool, count=1))
    ref, empty = store.save_image(data), fresh(folder)
    object_path = Path(store.image_host_path(ref) or "")
    narrower = itertools.count()
    acts: list[Callable[[], object]] = [partial(_cold, store, ref, narrower)]
    if modules is not None:
        sharp = Sharp(modules)
        stack.callback(sharp.close)
        acts.append(lambda: sharp.work(object_path, empty(), "request"))
    cold, *rest = in_turns(*acts, runs=RUNS)
    for theirs in rest:
        yield Row("cold request image of 1568 px", cold, SHARP, theirs, None, "ours keeps it for the next request")
    sent = store.request_image(ref, TARGET)
    cached = next(path for path in (folder / "home-0/cache").rglob("*") if _holds(path, sent.bytes))
    hot, plain = in_turns(
        lambda: store.request_image(ref, TARGET), lambda: Digest.of(cached.read_bytes()), runs=RUNS * 10
    )
    remark = f"{len(sent.bytes) // 1000} kB; {hot - plain:.2f} ms of it beside reading and hashing"
    yield Row("hot request image", hot, "reading and hashing its file", plain, None, remark)


def _cold(store: AttachmentStore, ref: ImageRef, narrower: Iterator[int]) -> None:
    """A target that nobody asked for yet, of the same picture work."""
    target = ImageTarget(1568, 1568, 3_740_000 - next(narrower), (PNG, JPEG))
    store.request_image(ref, target)


def _holds(path: Path, sent: bytes) -> bool:
    """Whether a cached file holds these bytes, behind its header."""
    return path.is_file() and path.read_bytes().endswith(sent)
