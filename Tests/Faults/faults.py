"""The faults that are tried on each program. Needs nothing but Python itself, so that their names can be looked up first."""

import os
import signal
import time


class Fault:
    """What is done to a program, or to its server.

    `strike` sleeps where the fault is a time: so long something stands still, is away or goes on unseen, and no event ends that.
    """

    disk_bytes = 0
    needs_pipe = False
    ends_program = False
    """Whether the program is to end by it."""
    makes_gap = True
    """Whether sound is bound to be missing in between."""
    longest_period = 256
    number = None
    """The signal that it is, if it is one."""

    def __init__(self, name):
        self.name = name

    def strike(self, trial):
        raise NotImplementedError


class ServerEnds(Fault):
    """The server goes, and stays away."""

    makes_gap = False

    def __init__(self, name, number):
        super().__init__(name)
        self.number = number

    def strike(self, trial):
        trial.server.stop(self.number)


class ServerFreezes(Fault):
    """The server stands still for a while."""

    seconds = 3

    def strike(self, trial):
        trial.server.send(signal.SIGSTOP)
        time.sleep(self.seconds)
        trial.server.send(signal.SIGCONT)


class ServerRestarts(Fault):
    """The server is killed, and started again after a second."""

    def __init__(self, name, rate=48000, period=256):
        super().__init__(name)
        self.rate = rate
        self.period = self.longest_period = period

    def strike(self, trial):
        trial.server.stop(signal.SIGKILL)
        time.sleep(1)
        if not trial.process.is_running:
            trial.playable = trial.source.played
        trial.server.rate, trial.server.period = self.rate, self.period
        trial.server.start()
        trial.source.start()
        trial.ear.start()


class PeriodChanges(Fault):
    """The server's period changes while sound runs."""

    makes_gap = False
    longest_period = 4096

    def strike(self, trial):
        for frames in (1024, 64, 4096, 256):
            trial.server.set_period(frames)
            time.sleep(0.5)


class DiskFills(Fault):
    """There is no more room for the recording."""

    disk_bytes = 1 << 20

    def strike(self, trial):
        time.sleep(3)


class OutputCloses(Fault):
    """Nobody reads any more what the program prints."""

    needs_pipe = True
    makes_gap = False

    def strike(self, trial):
        os.close(trial.out_reader)
        time.sleep(1)


class ProgramEnds(Fault):
    """The program itself is ended."""

    ends_program = True
    makes_gap = False

    def __init__(self, name, number):
        super().__init__(name)
        self.number = number

    def strike(self, trial):
        if self.number != signal.SIGINT:
            trial.process.send(self.number)


class ProgramFreezes(Fault):
    """The program itself stands still for a while."""

    seconds = 3

    def strike(self, trial):
        trial.process.send(signal.SIGSTOP)
        time.sleep(self.seconds)
        trial.process.send(signal.SIGCONT)


ALL = [
    ServerEnds("server killed", signal.SIGKILL),
    ServerEnds("server terminated", signal.SIGTERM),
    ServerFreezes("server frozen 3 s"),
    ServerRestarts("server restarted"),
    ServerRestarts("server restarted, 44100 Hz, 512", 44100, 512),
    PeriodChanges("period changed live"),
    DiskFills("disk full"),
    OutputCloses("stdout closed"),
    ProgramEnds("SIGINT", signal.SIGINT),
    ProgramFreezes("stopped 3 s"),
    ProgramEnds("SIGKILL", signal.SIGKILL),
]
