"""A program that hangs in every way that a test run has: run by the tests of the deadline.

It ignores SIGTERM, one thread waits for a lock and the main thread for a pipe, and an orphan of a session of its own
sleeps. Prints the numbers of its two processes first.
"""

import os
import signal
import threading
import time


def main():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.write(writing, b"%d" % os.getpid())
            time.sleep(1000)
        os._exit(0)
    os.wait()
    print(os.getpid(), os.read(reading, 20).decode(), flush=True)
    lock = threading.Lock()
    lock.acquire()
    threading.Thread(target=lock.acquire).start()
    os.read(reading, 1)


main()
