"""A client that knows nothing of iounit, made with JACK-Client: feeds a graph, listens to it, and has its server freewheel.

    feeder.py SERVER HEARD

Says "ready" when the ports feeder:out_1, feeder:out_2, listener:in_1 and listener:in_2 are in the graph. Then each line
of the standard input is done, and answered with how many frames have been fed so far:

    play FRAMES         feeds frames that say where they stand: 2⁻²⁰, 2 · 2⁻²⁰, 3 · 2⁻²⁰ …, and the same negated
    freewheel FRAMES    the same, while the server freewheels
    rest FRAMES         feeds silence

Each takes at least so many frames. At the end of the input, what was heard goes into the file HEARD: 32-bit floats, the
two channels in turn.
"""

import os
import sys
import threading

import jack
import numpy

DEADLINE_SECONDS = 20 * float(os.environ.get("DEADLINE_FACTOR", "1"))


class Feeder:
    def __init__(self, server):
        self._client = jack.Client("feeder", servername=server, no_start_server=True)
        self._ports = [self._client.outports.register(f"out_{number}") for number in (1, 2)]
        self._plays = False
        self._goal, self._passed = 0, 0
        self._has_passed = threading.Event()
        self.fed = 0
        self._client.set_process_callback(self._process)
        self._client.activate()

    def play(self, frames):
        self._plays = True
        self._wait(frames)

    def freewheel(self, frames):
        self._client.set_freewheel(True)
        self.play(frames)
        self._client.set_freewheel(False)

    def rest(self, frames):
        self._plays = False
        self._wait(frames)

    def _wait(self, frames):
        self._goal = self._passed + frames
        self._has_passed.clear()
        if not self._has_passed.wait(DEADLINE_SECONDS):
            sys.exit(f"feeder: {frames} frames did not go by within {DEADLINE_SECONDS:g} s")

    def _process(self, frames):
        block = numpy.zeros(frames)
        if self._plays:
            block = numpy.arange(self.fed + 1, self.fed + frames + 1) / 2**20
            self.fed += frames
        for port, sign in zip(self._ports, (1, -1)):
            port.get_array()[:] = sign * block
        self._passed += frames
        if self._passed >= self._goal:
            self._has_passed.set()


class Listener:
    def __init__(self, server):
        self._client = jack.Client("listener", servername=server, no_start_server=True)
        self._ports = [self._client.inports.register(f"in_{number}") for number in (1, 2)]
        self._blocks = []
        self._client.set_process_callback(self._process)
        self._client.activate()

    def _process(self, frames):
        self._blocks.append(numpy.stack([port.get_array() for port in self._ports], axis=1))

    def write(self, path):
        numpy.concatenate(list(self._blocks)).astype("<f4").tofile(path)


def main(server, heard):
    feeder, listener = Feeder(server), Listener(server)
    print("ready", flush=True)
    for line in sys.stdin:
        what, frames = line.split()
        {"play": feeder.play, "freewheel": feeder.freewheel, "rest": feeder.rest}[what](int(frames))
        print(feeder.fed, flush=True)
    listener.write(heard)
    sys.stdout.flush()
    # Without closing: libjack may not come back from that where clients come and go (jack2 issue 395).
    os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
