"""Files APIs of providers: pictures are uploaded once, named by their ids, and sent inline where that fails."""

from __future__ import annotations

from eyeline.request.remote.apis import files_of
from eyeline.request.remote.index import FolderIndex, RemoteIndex
from eyeline.request.remote.pictures import Placement, RemotePictures

__all__ = ["FolderIndex", "Placement", "RemoteIndex", "RemotePictures", "files_of"]
