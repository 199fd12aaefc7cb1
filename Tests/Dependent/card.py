"""A sound card for a server that has none: two physical ports with a tone of 750 Hz. Prints a line when it sounds."""
import sys
import threading

import jack
import numpy

client = jack.Client("card", servername=sys.argv[1], no_start_server=True)
ports = [client.outports.register(f"capture_{number}", is_physical=True, is_terminal=True) for number in (1, 2)]


@client.set_process_callback
def process(frames):
    # A period of the tone is 64 frames at 48 kHz, so that it goes on from block to block.
    tone = 0.3 * numpy.sin(2 * numpy.pi * numpy.arange(frames) / 64)
    for port in ports:
        port.get_array()[:] = tone


with client:
    print("sounds", flush=True)
    threading.Event().wait()
