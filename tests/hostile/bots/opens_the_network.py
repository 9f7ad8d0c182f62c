"""Calls the address and port it is given as arguments, and the world outside, and plays on."""

import socket
import sys

from prelude import attempt, play, ready

ready()
host, port = sys.argv[1:] or ("127.0.0.1", "80")
for address in ((host, int(port)), ("1.1.1.1", 53)):
    attempt(f"calling {address}", socket.create_connection, address, 1)
play()
