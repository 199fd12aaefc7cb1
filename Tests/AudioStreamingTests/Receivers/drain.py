"""Takes streams by TCP and RTP and forgets them: prints "ready PORT PORT", of TCP and of RTP, and ends with its standard input.

usage: drain.py
"""
import os
import select
import socket
import sys

server = socket.socket()
# One that stands still is to be noticed soon.
server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
server.bind(("127.0.0.1", 0))
server.listen()
while True:
    data, control = socket.socket(type=socket.SOCK_DGRAM), socket.socket(type=socket.SOCK_DGRAM)
    data.bind(("127.0.0.1", 0))
    try:
        control.bind(("127.0.0.1", data.getsockname()[1] + 1))
        break
    except (OSError, OverflowError):
        data.close()
print("ready", server.getsockname()[1], data.getsockname()[1], flush=True)
poll = select.epoll()
files = {each.fileno(): each for each in (server, data, control)}
for number in [*files, 0]:
    poll.register(number, select.EPOLLIN)
while True:
    for number, _ in poll.poll():
        if number == server.fileno():
            connection, _ = server.accept()
            files[connection.fileno()] = connection
            poll.register(connection.fileno(), select.EPOLLIN)
        elif number == 0:
            if not os.read(0, 4096):
                sys.exit()
        elif not files[number].recv(1 << 17) and files[number].type == socket.SOCK_STREAM:
            poll.unregister(number)
            files.pop(number).close()
