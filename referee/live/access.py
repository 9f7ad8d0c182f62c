"""Who may use the pages of a running match or tournament: whoever knows a token, from a page of this server.

A token in the address keeps out other users of the machine and, with --listen, other hosts. Checking `Host` keeps out
pages whose domain name was pointed at this address (DNS rebinding), and checking `Origin` those of other sites.
"""

import ipaddress
import secrets
from collections.abc import Mapping
from typing import Final

from referee.errors import RefereeError

LOOPBACK: Final = "127.0.0.1"
TOKEN_BYTES: Final = 12


class AddressError(RefereeError):
    """An invalid value of --listen. The text says what is expected."""


def new_token() -> str:
    """A secret for an address that can't be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def parse_address(text: str) -> tuple[str, int]:
    """Host and port of `ADDRESS` or `ADDRESS:PORT`; port 0 is any free one. Raises AddressError."""
    host, colon, port = text.rpartition(":")
    if not colon or "]" in port or (":" in host and not host.startswith("[")):
        host, port = text, "0"
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise AddressError(f"--listen {text}: expected ADDRESS or ADDRESS:PORT, such as 192.168.1.5:8000")
    return host, int(port)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_own_host(header: str, names: frozenset[str], *, loopback: bool) -> bool:
    """Whether a `Host` header names this server: by an IP address or one of its `names`.

    `loopback`: it listens on this machine only, so that only localhost and 127.0.0.1 will do. Any port: the server may
    be reached through a port that SSH forwards.
    """
    host = header.rsplit(":", 1)[0] if header.count(":") == 1 or header.rfind("]") < header.rfind(":") else header
    host = host.strip("[]").lower()
    if loopback:
        return is_loopback(host)
    if host in names:
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def is_own_page(headers: Mapping[str, str]) -> bool:
    """Whether a request comes from a page of this server, or from no page."""
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{headers.get('host', '')}":
        return False
    return headers.get("sec-fetch-site", "none") in ("none", "same-origin")
