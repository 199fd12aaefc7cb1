"""A disk that fills up: a small one of our own where that is permitted, else a limit on the size of files."""

import ctypes
import os
import resource
import signal
import subprocess

_CLONE_NEWNS = 0x20000
_has_namespace = None


def _enter_namespace():
    """Takes us out of the machine's mounts: what we mount is gone with us, whatever happens."""
    global _has_namespace
    if _has_namespace is None:
        _has_namespace = ctypes.CDLL(None).unshare(_CLONE_NEWNS) == 0 and _run("mount", "--make-rprivate", "/")
    return _has_namespace


def _run(*words):
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


class SmallDisk:
    """Room for about so many bytes. `folder` is where; `limit` is for the process that fills it, before it starts."""

    def __init__(self, folder, size):
        self.folder = os.path.join(folder, "disk")
        os.mkdir(self.folder)
        self.is_mounted = _enter_namespace() and _run(
            "mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.folder)
        self._size = size

    def limit(self):
        if not self.is_mounted:
            # As a full disk does it: an error, and no signal.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (self._size, self._size))

    def close(self):
        if self.is_mounted:
            _run("umount", "--lazy", self.folder)
