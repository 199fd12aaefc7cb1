"""What the chaos happens to: a server, the unit that records on it, and a neighbour."""

import glob
import os
import signal
import time

import processes
import programs
import server as jack
import soundfile
import supervised
from counter import Counter
from ledger import Outage
from testimony import Event
from witness import Witness


class Stage:
    """A private server and `iounit monitor --record` on it, fed with countable sound.

    `outages` are the times in which a fault kept the sound away, `silences` those in which nothing was connected,
    `freewheels` those in which sound ran ahead of the clock.
    """

    RATE = 48000
    SOUND_DEADLINE = 15.0
    PATIENCE = 4.0
    """How long a client that is in the graph may wait for a cycle, in seconds: longer than twenty of 4096 frames."""

    def __init__(self, folder, is_sync, seconds, reconnect="auto", source="file", rate_change="split"):
        self.folder = folder
        self.recording = os.path.join(folder, "take.wav")
        self.server = jack.Server(folder, rate=self.RATE, is_sync=is_sync)
        self.neighbour = Counter(self.server, folder, "neighbour")
        self.witness = Witness(programs.witness())
        self.outages, self.silences, self.freewheels = [], [], []
        self._events = []
        self.stacks = ""
        """Those of the unit, when it was last waited for longer than `PATIENCE`."""
        self.longest_period = self.server.period / self.server.rate
        # A client counts at whatever rate the server has, a file at its own.
        self.source_rate = self.RATE if source == "file" else None
        self.is_converted = rate_change == "convert"
        self.source = Counter(self.server, folder, "source", self.witness) if source == "client" else None
        """The client that feeds the unit; `None` where the unit plays a file itself."""
        words = ["monitor", "--server", self.server.name, "--record", self.recording, "--on-rate-change", rate_change]
        if source == "file":
            path = os.path.join(folder, "source.wav")
            # Freewheel eats up more of it than there is time.
            soundfile.write_counted(path, round((seconds + 120) * self.RATE), self.RATE)
            words += ["--source", path]
        else:
            words += ["--input", "^source:out_"]
        words += ["--gain", "0", "--shape", "off", "--bypass", "--json"]
        if reconnect != "never":
            words += ["--reconnect", reconnect]
        self._words = words
        self.unit = None

    def start(self):
        """Starts everything; returns whether sound is recorded in time."""
        self.server.start()
        if self.source:
            self.source.start()
        self.unit = processes.Process(
            [programs.iounit(), *self._words], self.folder, "unit", **self.witness.words)
        if not self.sounds_again():
            return False
        self.neighbour.start()
        return True

    def close(self):
        if self.unit:
            self.unit.end()
        self.neighbour.stop()
        if self.source:
            self.source.stop()
        self.server.close()
        self.witness.save(os.path.join(self.folder, "witness"))

    def files(self):
        """The recording's segments, as far as they are there."""
        return sorted(glob.glob(os.path.join(self.folder, "take*.wav")), key=os.path.getmtime)

    def sounds_again(self):
        """Waits until sound is recorded that was not before; returns seconds, or `None` where it does not come."""
        start, before = processes.seconds(), self._newest_sound()

        def has_new():
            now = self._newest_sound()
            return now is not None and now != before
        for _ in range(2):
            # What was under way already does not count.
            if not self._wait_beside_others(lambda: has_new() or not self.unit.is_running):
                return None
            before = self._newest_sound()
        return processes.seconds() - start if self.unit.is_running else None

    def take_events(self):
        """What the server did since the last call that is nobody's fault but its own."""
        events, self._events = self._events, []
        return events

    @property
    def processes(self):
        """Those that are running."""
        known = [self.unit, self.neighbour.process, self.source and self.source.process, self.server.process]
        return [process for process in known if process and process.is_running]

    def _wait_beside_others(self, condition):
        """Returns whether the condition came true in time, on another server where this one cannot be helped.

        A server that waits for a client in each cycle is the unit's to leave, for its libjack may be the cause. Where it
        has, and has joined again, and the server still waits, only another server helps.
        """
        start = processes.seconds()
        if self._wait_once(condition):
            return True
        limp = self.witness.journal().limp(start)
        if not limp:
            return False
        self._events.append(Event("limping", f"{limp}; another server is started"))
        self._server_restarts(0, False, signal="SIGKILL")
        return self._wait_once(condition)

    def _wait_once(self, condition):
        """Returns whether the condition came true in time.

        Clients that come at the same moment may leave one that jackd 1.9.21 runs no more, and in sync mode each cycle
        then waits twenty periods for it. Where it is none of the unit's the unit can do nothing, and it joins again;
        where the server does not even let it in any more, only another server helps.
        """
        self.stacks = ""
        deadline = processes.seconds() + self.SOUND_DEADLINE
        while processes.seconds() < deadline:
            others = [client for client in (self.neighbour, self.source) if client and client.process]
            played = [client.played for client in others]
            if processes.wait_until(condition, self.PATIENCE):
                return True
            # It may have ended by the time that this is a violation; but to look stops it for seconds on a busy machine.
            if processes.seconds() > deadline - self.PATIENCE:
                self.stacks = supervised.stacks(self.unit.pid)
            forgotten = [
                client for client, before in zip(others, played) if not client.is_running or client.played == before]
            cycles = self.witness.journal().unit_cycles_since(processes.seconds() - self.PATIENCE)
            if not self.server.is_running or not cycles:
                continue
            for client in forgotten:
                self._events.append(
                    Event(
                        "client not run", f"{client.name} was run not once in {self.PATIENCE:.0f} s, and the unit "
                        f"{cycles} times; it joins again"))
                if client.start():
                    continue
                self._events.append(
                    Event("no client let in", f"the server does not let {client.name} in again; another one is started"))
                self._server_restarts(0, False, signal="SIGKILL")
                deadline = processes.seconds() + self.SOUND_DEADLINE
                break
        return False

    def _newest_sound(self):
        files = self.files()
        if not files:
            return None
        samples = soundfile.tail(files[-1], 4096)
        heard = samples[(samples != 0).any(axis=1)]
        return (files[-1], float(heard[-1][0])) if len(heard) else None

    # What can be done to it. Each returns when it is over.

    def perform(self, step):
        getattr(self, "_" + step.fault.replace("-", "_"))(**step.parameters)

    def _server_freezes(self, seconds):
        self.server.send(signal.SIGSTOP)
        with self._outage("the frozen server"):
            time.sleep(seconds)
        self.server.send(signal.SIGCONT)

    def _program_freezes(self, seconds):
        self.unit.send(signal.SIGSTOP)
        with self._outage("the frozen program"):
            time.sleep(seconds)
        self.unit.send(signal.SIGCONT)

    def _server_restarts(self, seconds, namesake, rate=None, period=None, **parameters):
        name = parameters["signal"]
        # Until it is started again, for the unit may be back before we know that the server answers.
        self.server.stop(getattr(signal, name))
        with self._outage(f"the server's end by {name}"):
            time.sleep(seconds)
        self.server.rate, self.server.period = rate or self.server.rate, period or self.server.period
        self.longest_period = max(self.longest_period, self.server.period / self.server.rate)
        self.server.start()
        if self.source:
            self.source.start()
        self.neighbour.start("iounit" if namesake else None)

    def _server_flaps(self, times, seconds):
        for _ in range(times):
            self._server_restarts(0, False, signal="SIGKILL")
            time.sleep(seconds)

    def _period_changes(self, periods):
        with self._window(self.silences, "the change of the period"):
            for frames in periods:
                self.server.set_period(frames)
                self.longest_period = max(self.longest_period, frames / self.server.rate)
                time.sleep(0.2)

    def _freewheel(self, seconds):
        with self._window(self.freewheels, "freewheel"):
            self.server.set_freewheel(True)
            time.sleep(seconds)
            self.server.set_freewheel(False)

    def _source_disconnected(self, seconds):
        wires = self.server.connections("iounit:in_1") + self.server.connections("iounit:in_2")
        with self._window(self.silences, "the cut connection"):
            for source, target in wires:
                self.server.disconnect(source, target)
            time.sleep(seconds)
            for source, target in wires:
                self.server.connect(source, target)

    def _source_changes_ports(self, seconds):
        self._signal_source_twice(signal.SIGUSR2, seconds)

    def _source_renames_ports(self, seconds):
        self._signal_source_twice(signal.SIGUSR1, seconds)

    def _signal_source_twice(self, number, seconds):
        with self._window(self.silences, "the source's change of its ports"):
            self.source.send(number)
            time.sleep(seconds)
            self.source.send(number)

    def _neighbour_crashes(self, seconds):
        self._listen()
        time.sleep(seconds)
        self.neighbour.send(signal.SIGKILL)
        self.neighbour.start()

    def _neighbour_freezes(self, seconds):
        self._listen()
        self.neighbour.send(signal.SIGSTOP)
        time.sleep(seconds)
        self.neighbour.send(signal.SIGCONT)
        # The server may have thrown it out.
        self.neighbour.start()

    def _neighbour_changes_ports(self, rename):
        for _ in range(2):
            self.neighbour.send(signal.SIGUSR1 if rename else signal.SIGUSR2)
            time.sleep(0.3)

    def _disk_busy(self, seconds):
        path = os.path.join(self.folder, "ballast")
        end = processes.seconds() + seconds
        with open(path, "wb") as file:
            while processes.seconds() < end:
                file.write(bytes(1 << 20))
                file.flush()
                os.fsync(file.fileno())
        os.remove(path)

    def _listen(self):
        for port, ear in zip(("iounit:out_1", "iounit:out_2"), self.neighbour.inputs):
            self.server.connect(port, ear)

    def _outage(self, fault):
        """The time that is certain: on a busy machine we may lose the processor between a signal and a look at the clock."""
        return self._window(self.outages, fault)

    def _window(self, windows, fault):
        return _Window(windows, fault)


class _Window:
    """Notes when something began and ended."""

    def __init__(self, windows, fault):
        self._windows = windows
        self._fault = fault

    def __enter__(self):
        self._start = processes.seconds()

    def __exit__(self, *_):
        self._windows.append(Outage(self._start, processes.seconds(), self._fault))
