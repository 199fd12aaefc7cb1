"""A web server of files as streams. The first part of a path says how:

/length/NAME   with its length             /chunked/NAME  in pieces with their lengths
/close/NAME    up to the end of the connection, as Icecast does
/cut/NAME      less than the length that it says
/break/NAME    half of the pieces, and not the end that follows the last one
/huge/NAME     half of the pieces, and then one that is said to have 2 GiB
/wordy/NAME    behind 9 kB of headers
/titles/NAME   with titles between the sound, though nobody asked for them
/secret/NAME   only with the token "sesame"
/to/ADDRESS    leads to another address, quoted once
/round/N       leads to /round/N+1
/status/CODE   answers with the code

usage: body.py PORT_FILE FOLDER [CERTIFICATE]
Prints a line of JSON for each request: its path and headers; and one when all of a body was taken.
"""
import http.server
import json
import os
import ssl
import sys
import urllib.parse

port_file, folder = sys.argv[1:3]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *words):
        pass

    def do_GET(self):
        headers = {name.lower(): value for name, value in self.headers.items()}
        print(json.dumps({"path": self.path, "headers": headers}), flush=True)
        way, name = self.path.lstrip("/").split("/", 1)
        if way == "to":
            self.send_response(302)
            self.send_header("Location", urllib.parse.unquote(name))
            return self.end_headers()
        if way == "round":
            self.send_response(301)
            self.send_header("Location", str(int(name) + 1))
            return self.end_headers()
        if way == "secret" and headers.get("authorization") != "Bearer sesame":
            return self.send_error(401)
        if way == "status":
            return self.send_error(int(name))
        path = os.path.join(folder, os.path.basename(name))
        if not os.path.exists(path):
            return self.send_error(404)
        with open(path, "rb") as file:
            data = file.read()
        in_pieces = way in ("chunked", "break", "huge")
        self.protocol_version = "HTTP/1.1" if in_pieces else "HTTP/1.0"
        self.send_response(200)
        if way in ("length", "cut", "secret"):
            self.send_header("Content-Length", str(len(data)))
        if in_pieces:
            self.send_header("Transfer-Encoding", "chunked")
        if way == "titles":
            self.send_header("icy-metaint", "1000")
        for number in range(30 if way == "wordy" else 0):
            self.send_header(f"X-Words-{number}", "w" * 300)
        self.end_headers()
        self.close_connection = True
        try:
            if in_pieces:
                for first in range(0, len(data) if way == "chunked" else len(data) // 2, 3000):
                    piece = data[first:first + 3000]
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                if way == "chunked":
                    self.wfile.write(b"0\r\n\r\n")
                elif way == "huge":
                    self.wfile.write(b"80000000\r\n" + data)
            elif way == "titles":
                title = b"StreamTitle='one';"
                title += bytes(-len(title) % 16)
                for number, first in enumerate(range(0, len(data), 1000)):
                    piece = data[first:first + 1000]
                    words = title if number % 3 == 0 else b""
                    self.wfile.write(piece)
                    if len(piece) == 1000:
                        self.wfile.write(bytes([len(words) // 16]) + words)
            else:
                self.wfile.write(data[:len(data) // 2] if way == "cut" else data)
            print(json.dumps({"path": self.path, "sent": True}), flush=True)
        except (BrokenPipeError, ConnectionResetError):
            pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
if len(sys.argv) > 3:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[3])
    server.socket = context.wrap_socket(server.socket, server_side=True)
with open(port_file + ".new", "w") as file:
    file.write(str(server.server_port))
os.rename(port_file + ".new", port_file)
server.serve_forever()
