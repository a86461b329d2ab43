# SPDX-License-Identifier: Apache-2.0
"""Folders that live as long as what needs them."""
from __future__ import annotations

import os
import pathlib
import shutil
import tempfile
import weakref


class TemporaryFolder:
    """A new folder, removed when nothing refers to this any more, at the latest when Python ends."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="wafertlm-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def output_folder(out: str | os.PathLike[str] | None) -> tuple[pathlib.Path, TemporaryFolder | None]:
    """Where results go: `out`, or a folder that lives as long as the second."""
    if out is not None:
        return pathlib.Path(out), None
    kept = TemporaryFolder()
    return kept.path / "out", kept
