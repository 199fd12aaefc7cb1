"""A session manager of one program: the server's side of the NSM API 1.1, by liblo.

usage: session_manager.py FOLDER CLIENT PROGRAM [ARGUMENT...]

Starts the program with NSM_URL, answers its announcement and opens FOLDER for it. Prints each message that comes as a
line of JSON: a list of address and arguments. Each line of its input is an order: save, open, loaded, quit (SIGTERM), or
"deny" as CLIENT refuses the announcement. Ends with the program, and prints its exit code.
"""
import json
import os
import select
import signal
import subprocess
import sys

import liblo

folder, client, program = sys.argv[1], sys.argv[2], sys.argv[3:]
server = liblo.Server()
source = None


def told(path, arguments, types, sender):
    global source
    print(json.dumps([path] + arguments), flush=True)
    if path == "/nsm/server/announce":
        source = sender
        if client == "deny":
            server.send(source, "/error", path, -2, "too new")
            return
        server.send(source, "/reply", path, "welcome", "Test Manager", ":server-control:")
        server.send(source, "/nsm/client/open", folder, "song", client)


server.add_method(None, None, told)
run = subprocess.Popen(program, env=dict(os.environ, NSM_URL=server.url), stdin=subprocess.DEVNULL)
orders = b""
while run.poll() is None:
    server.recv(20)
    if select.select([0], [], [], 0)[0]:
        more = os.read(0, 4096)
        orders += more
        if not more:
            run.send_signal(signal.SIGTERM)
            run.wait()
    while b"\n" in orders:
        order, orders = orders.split(b"\n", 1)
        if order == b"save":
            server.send(source, "/nsm/client/save")
        elif order == b"open":
            server.send(source, "/nsm/client/open", folder + "2", "other", client + "2")
        elif order == b"loaded":
            server.send(source, "/nsm/client/session_is_loaded")
        elif order == b"quit":
            run.send_signal(signal.SIGTERM)
while server.recv(0):
    pass
print(json.dumps(["exit", run.returncode]), flush=True)
