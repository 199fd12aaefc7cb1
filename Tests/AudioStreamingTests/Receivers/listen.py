"""A receiver by TCP: writes its port into a file, takes one connection, and writes what comes to standard output.

usage: listen.py --port-file FILE [--address ADDRESS] [--port PORT] [--stall] [--answer]
--stall reads nothing until a line comes on standard input; --answer says something first.
"""
import argparse
import os
import socket
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--address", default="127.0.0.1")
parser.add_argument("--port", type=int, default=0)
parser.add_argument("--stall", action="store_true")
parser.add_argument("--answer", action="store_true")
parser.add_argument("--port-file", required=True)
arguments = parser.parse_args()
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
server.bind((arguments.address, arguments.port))
server.listen()
with open(arguments.port_file + ".new", "w") as file:
    file.write(str(server.getsockname()[1]))
os.rename(arguments.port_file + ".new", arguments.port_file)
connection, _ = server.accept()
if arguments.answer:
    connection.sendall(b"220 mail.example ESMTP\r\n")
if arguments.stall:
    sys.stdin.readline()
while data := connection.recv(65536):
    sys.stdout.buffer.write(data)
sys.stdout.buffer.flush()
