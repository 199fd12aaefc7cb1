"""Reads and writes WAV and RF64 files of 32-bit samples: strictly, and with nothing of what is under test."""

import ctypes
import mmap
import os
import struct

import numpy

import index


class BadFile(Exception):
    """A file that is not whole; says in which way."""


class SoundFile:
    """The frames of a file, whose header must be complete and agree with what is there."""

    def __init__(self, path, unsaid=0):
        """`unsaid`: how many bytes may follow of which the header does not tell, as where a writer was killed."""
        self.path = path
        self._unsaid = unsaid
        with open(path, "rb") as file:
            # Mapped, because an hour of sound need not be in memory at once.
            empty = os.fstat(file.fileno()).st_size == 0
            self._bytes = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._read_header()

    def _read_header(self):
        content = self._bytes
        kind, size, form = struct.unpack_from("<4sI4s", self._need(0, 12))
        if kind not in (b"RIFF", b"RF64") or form != b"WAVE":
            raise BadFile(f"{self.path}: it does not begin as a WAV file does")
        position, data, wide = 12, None, None
        self.rate = None
        while position + 8 <= len(content):
            name, length = struct.unpack_from("<4sI", content, position)
            start = position + 8
            if data and 0 < len(content) - sum(data) <= self._unsaid:
                break
            if not all(0x20 <= byte < 0x7F for byte in name):
                told = f"{data[1]} bytes of sound" if data else "no sound yet"
                raise BadFile(f"{self.path}: the header tells of {told}, and what follows is no chunk")
            if name == b"ds64":
                wide = struct.unpack_from("<QQQ", self._need(start, 24), 0)
            elif name == b"fmt ":
                self._read_format(self._need(start, length))
            elif name == b"data":
                if kind == b"RF64" and length == 0xFFFFFFFF and wide:
                    length = wide[1]
                data = (start, length)
            position = start + length + length % 2
        if self.rate is None or data is None:
            raise BadFile(f"{self.path}: its header is not complete")
        start, length = data
        if kind == b"RF64":
            size = wide[0] if wide else size
        if start + length > len(content):
            raise BadFile(f"{self.path}: the header tells of {length} bytes of sound, {len(content) - start} are there")
        if not -1 <= len(content) - size - 8 <= max(1, self._unsaid):
            raise BadFile(f"{self.path}: the header tells of {size + 8} bytes in all, {len(content)} are there")
        if length % (4 * self.channels):
            raise BadFile(f"{self.path}: its sound ends within a frame")
        self.frames = length // (4 * self.channels)
        self._data = start

    def _need(self, start, length):
        if start + length > len(self._bytes):
            raise BadFile(f"{self.path}: it ends within its header, after {len(self._bytes)} bytes")
        return self._bytes[start:start + length]

    def _read_format(self, chunk):
        code, self.channels, self.rate, _, _, bits = struct.unpack_from("<HHIIHH", chunk)
        if code == 0xFFFE and len(chunk) >= 26:
            code = struct.unpack_from("<H", chunk, 24)[0]
        if code not in (1, 3) or bits != 32 or self.channels == 0 or self.rate == 0:
            raise BadFile(f"{self.path}: its samples have no 32 bits (format {code}, {bits} bits)")
        self._is_integer = code == 1

    @property
    def samples(self):
        """Floats of shape (frames, channels)."""
        count = self.frames * self.channels
        kind = "<i4" if self._is_integer else "<f4"
        flat = numpy.frombuffer(self._bytes, dtype=kind, count=count, offset=self._data)
        if self._is_integer:
            flat = flat * 2.0**-31
        return flat.reshape(self.frames, self.channels)


class _Facts(ctypes.Structure):
    """libsndfile's `SF_INFO`."""
    _fields_ = [
        ("frames", ctypes.c_int64), ("rate", ctypes.c_int), ("channels", ctypes.c_int), ("format", ctypes.c_int),
        ("sections", ctypes.c_int), ("seekable", ctypes.c_int)]


def frames_by_libsndfile(path):
    """How many frames other programs will find in a file; `None` where they cannot open it."""
    library = ctypes.CDLL("libsndfile.so.1")
    library.sf_open.restype = ctypes.c_void_p
    library.sf_close.argtypes = [ctypes.c_void_p]
    facts = _Facts()
    file = library.sf_open(os.fsencode(path), 0x10, ctypes.byref(facts))
    if not file:
        return None
    library.sf_close(file)
    return facts.frames


def tail(path, frames):
    """The last frames of a file of two channels that is still being written, whatever its header tells."""
    with open(path, "rb") as file:
        head = file.read(4096)
        start = head.find(b"data") + 8
        size = file.seek(0, os.SEEK_END)
        if start < 12 or size < start + 8:
            return numpy.zeros((0, 2), dtype=numpy.float32)
        count = min(frames, (size - start) // 8)
        file.seek(start + ((size - start) // 8 - count) * 8)
        data = file.read(count * 8)
    return numpy.frombuffer(data[:len(data) // 8 * 8], dtype="<f4").reshape(-1, 2)


def write(path, samples, rate):
    """Writes floats of shape (frames, channels) as a WAV file."""
    data = numpy.ascontiguousarray(samples, dtype="<f4").tobytes()
    channels = samples.shape[1]
    layout = struct.pack("<4sIHHIIHH", b"fmt ", 16, 3, channels, rate, rate * channels * 4, channels * 4, 32)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sI4s", b"RIFF", 4 + len(layout) + 8 + len(data), b"WAVE"))
        file.write(layout + struct.pack("<4sI", b"data", len(data)))
        file.write(data)


def write_counted(path, frames, rate):
    """Writes a file whose frames say which ones they are, from 0 on."""
    write(path, index.encode(0, frames), rate)
