"""A JACK server whose sample rate changes while it runs, as where somebody switches jackd to another sound card.

    switchable.py NAME RATE FRAMES

Hosts a jackd on the dummy driver by way of libjackserver, and says "ready" when it runs. Each line "RATE FRAMES" of the
standard input switches it to a dummy driver of that rate and period, and is answered with "switched". It ends with its
input.
"""

import ctypes
import os
import sys


class _Node(ctypes.Structure):
    """jslist.h: JSList."""


_List = ctypes.POINTER(_Node)
_Node._fields_ = [("data", ctypes.c_void_p), ("next", _List)]


class _Value(ctypes.Union):
    """control.h: union jackctl_parameter_value."""

    _fields_ = [("uint", ctypes.c_uint32), ("text", ctypes.c_char * 128), ("flag", ctypes.c_bool)]


class _Control:
    """control.h: what is called of it, without the prefix `jackctl_`."""

    def __init__(self):
        library = ctypes.CDLL("libjackserver.so.0")
        handle = ctypes.c_void_p
        for name, result, *parameters in [
            ("server_create2", handle, handle, handle, handle),
            ("server_get_drivers_list", _List, handle),
            ("server_get_parameters", _List, handle),
            ("server_open", ctypes.c_bool, handle, handle),
            ("server_start", ctypes.c_bool, handle),
            ("server_switch_master", ctypes.c_bool, handle, handle),
            ("server_stop", ctypes.c_bool, handle),
            ("server_close", ctypes.c_bool, handle),
            ("server_destroy", None, handle),
            ("driver_get_name", ctypes.c_char_p, handle),
            ("driver_get_parameters", _List, handle),
            ("parameter_get_name", ctypes.c_char_p, handle),
            ("parameter_set_value", ctypes.c_bool, handle, ctypes.POINTER(_Value)),
        ]:
            function = getattr(library, f"jackctl_{name}")
            function.restype, function.argtypes = result, parameters
            setattr(self, name, function)


def _items(node):
    while node:
        yield node.contents.data
        node = node.contents.next


class Server:
    def __init__(self, name, rate, frames):
        self._control = control = _Control()
        self._server = control.server_create2(None, None, None)
        self._set(control.server_get_parameters(self._server), name=_Value(text=name.encode()), realtime=_Value(flag=False))
        drivers = _items(control.server_get_drivers_list(self._server))
        self._driver = next(driver for driver in drivers if control.driver_get_name(driver) == b"dummy")
        self._configure(rate, frames)
        _check(control.server_open(self._server, self._driver), "open")
        _check(control.server_start(self._server), "start")

    def switch(self, rate, frames):
        self._configure(rate, frames)
        _check(self._control.server_switch_master(self._server, self._driver), "switch")

    def end(self):
        _check(self._control.server_stop(self._server), "stop")
        _check(self._control.server_close(self._server), "close")
        self._control.server_destroy(self._server)

    def _configure(self, rate, frames):
        parameters = self._control.driver_get_parameters(self._driver)
        self._set(parameters, rate=_Value(uint=rate), period=_Value(uint=frames))

    def _set(self, parameters, **values):
        by_name = {self._control.parameter_get_name(parameter).decode(): parameter for parameter in _items(parameters)}
        for name, value in values.items():
            _check(self._control.parameter_set_value(by_name[name], ctypes.byref(value)), f"set {name}")


def _check(result, what):
    if not result:
        sys.exit(f"switchable: the server did not {what}")


def main(name, *rate_and_frames):
    # What the library says there is no answer.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    server = Server(name, *map(int, rate_and_frames))
    print("ready", file=answers)
    for line in sys.stdin:
        server.switch(*map(int, line.split()))
        print("switched", file=answers)
    server.end()


if __name__ == "__main__":
    main(*sys.argv[1:])
