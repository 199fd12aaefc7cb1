"""A listener of MP3 that asks for the titles between the bytes of the sound: prints the first.

usage: icy.py URL
"""
import sys
import urllib.request

answer = urllib.request.urlopen(urllib.request.Request(sys.argv[1], headers={"Icy-MetaData": "1"}), timeout=30)
step = int(answer.headers["icy-metaint"])
title = b""
while not title:
    answer.read(step)
    title = answer.read(16 * answer.read(1)[0]).rstrip(b"\0")
sys.stdout.buffer.write(title)
