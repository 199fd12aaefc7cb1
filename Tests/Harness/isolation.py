"""Runs a command with a shared memory and System V semaphores of its own, so that no other JACK server is in reach.

    isolation.py COMMAND…

Where the kernel does not permit that, it says so in one line and runs the command as it is.
"""

import ctypes
import os
import sys

_CLONE_NEWNS, _CLONE_NEWIPC, _CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
_MS_NOSUID, _MS_NODEV, _MS_REC, _MS_PRIVATE = 2, 4, 1 << 14, 1 << 18

_libc = ctypes.CDLL(None, use_errno=True)


def isolate():
    """Moves the calling process into namespaces of its own.

    JACK's registry is in /dev/shm, and the semaphore that guards it is System V's. Whoever is not root needs a user
    namespace too; there they are the same user as before, with the same limits for real-time priority.
    """
    user, group = os.getuid(), os.getgid()
    flags = _CLONE_NEWNS | _CLONE_NEWIPC
    if user != 0:
        flags |= _CLONE_NEWUSER
    _check(_libc.unshare(flags), "unshare")
    if user != 0:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    _check(_libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None), "make mounts private")
    # A server's 40 MB of shared memory in some twenty pages, not ten thousand, which each of its clients maps once more: half
    # of what a start computes. A kernel without such pages refuses the option.
    if _mount_memory(b"mode=1777,huge=within_size") != 0:
        _check(_mount_memory(b"mode=1777"), "mount /dev/shm")


def _mount_memory(options):
    return _libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", _MS_NOSUID | _MS_NODEV, options)


def _check(result, what):
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


def _write(path, text):
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def is_possible():
    """Whether the kernel permits it; where not, it is said why."""
    # In a child: half of it done would be worse than none.
    probe = os.fork()
    if probe == 0:
        try:
            isolate()
        except OSError as error:
            print(f"isolation: other JACK servers of this machine are in reach: {error.strerror}", file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitpid(probe, 0)[1] == 0


def main(words):
    if is_possible():
        isolate()
    os.execvp(words[0], words)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    main(sys.argv[1:])
