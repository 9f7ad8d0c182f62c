"""The JSON readers of the kits whose languages have none: they accept what JSON is, and nothing else."""

import json
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from referee.files import find_program
from tests.fuzz.mutate import VALUES, mutate
from tests.kits.harness import ROOT, bad_line_bytes
from tests.timeouts import TEST_TIMEOUT

MAX_DEPTH: Final = 512
MIB: Final = 1 << 20
READERS: Final = Path(__file__).with_name("readers")
SANITIZED: Final = ("-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover")


class Reader(NamedTuple):
    """How the reader of a kit is built, with a program that writes what it reads. All files are in one folder."""

    files: tuple[str, ...]
    command: tuple[str, ...]


BUILDS: Final = {
    "c": Reader(("json.c", "json.h"), ("cc", "-std=c11", *SANITIZED, "read_json.c", "json.c", "-lm")),
    "cpp": Reader(("json.cpp", "json.hpp"), ("c++", "-std=c++17", *SANITIZED, "read_json.cpp", "json.cpp")),
    "rust": Reader(("src/json.rs",), ("rustc", "--edition", "2021", "-C", "opt-level=0", "read_json.rs")),
}


@pytest.fixture(scope="module", params=BUILDS)
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, built from the files of the kit."""
    language: str = request.param
    build = BUILDS[language]
    folder = tmp_path_factory.mktemp(language)
    if find_program(build.command[0], folder) is None:
        pytest.skip(f"needs {build.command[0]}")
    for file in build.files:
        shutil.copy(ROOT / "bots" / f"first-{language}" / file, folder)
    (program,) = READERS.glob(f"read_json.{Path(build.files[0]).suffix[1:]}")
    shutil.copy(program, folder)
    subprocess.run([*build.command, "-o", "read_json"], cwd=folder, check=True, timeout=TEST_TIMEOUT)
    return folder / "read_json"


def read(reader: Path, lines: list[bytes]) -> list[bytes]:
    """What the reader makes of each line, as `written` writes it. The sanitizers find no fault and no leak."""
    text = b"".join(line + b"\n" for line in lines)
    done = subprocess.run([reader], input=text, capture_output=True, timeout=TEST_TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert done.stderr == b""
    return done.stdout.splitlines()


# -- what JSON is, by Python's reader --------------------------------------------------------------------------------


class Members(list[tuple[str, Any]]):
    """An object, with the members that are given twice."""


@cache
def expected(line: bytes) -> bytes | None:
    """What a reader must make of a line; None if it must refuse it."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 4 * MAX_DEPTH)
    try:
        value = json.loads(line.decode("utf-8"), object_pairs_hook=Members, parse_int=integer, parse_constant=refuse)
        text = written(value, 0)
    except (ValueError, RecursionError):
        return None
    finally:
        sys.setrecursionlimit(limit)
    if isinstance(value, Members):
        twice = [each for name, each in value if name == "twice"]
        text += f" twice={written(twice[-1], 0)}" if twice else ""
    return text.encode()


def integer(digits: str) -> int | float:
    """Integers beyond 64 bits are the nearest double."""
    value = int(digits) if len(digits) < 25 else 1 << 64
    return value if -(1 << 63) <= value < 1 << 63 else float(digits)


def refuse(constant: str) -> None:
    """NaN and Infinity are not JSON, though Python reads them."""
    raise ValueError(constant)


def written(value: Any, depth: int) -> str:
    """The form in which all readers write a value: of strings the first bytes and their number, of doubles the bits."""
    match value:
        case None | bool():
            return json.dumps(value)
        case int():
            return str(value)
        case float():
            return f"double {struct.pack('>d', value).hex()}"
        case str():
            data = value.encode()  # fails for lone surrogates
            return f'"{data[:1000].hex()}.{len(data)}"'
    if depth >= MAX_DEPTH:
        raise ValueError("nested too deeply")
    if isinstance(value, Members):
        return "{" + "".join(f"{written(name, 0)}:{written(each, depth + 1)}," for name, each in value) + "}"
    return "[" + "".join(f"{written(each, depth + 1)}," for each in value) + "]"


# -- lines -----------------------------------------------------------------------------------------------------------

ESCAPES: Final = (
    *(rb"\"", rb"\\", rb"\/", rb"\b", rb"\f", rb"\n", rb"\r", rb"\t", rb"\u0041", rb"\uD83D\uDC09", rb"\u0000"),
    *(rb"\u00e9", rb"\uFFFF", rb"\ud7ff", rb"\uE000", rb"\uDBFF\uDFFF"),
)
NO_ESCAPES: Final = (
    *(rb"\u", rb"\uD800", rb"\uDC00", rb"\uDC00\uD800", rb"\uD800x", rb"\uD800\n", rb"\uD800\u0041", rb"\u00g0"),
    *(rb"\U0041", rb"\'", rb"\a", rb"\0", rb"\x41", rb"\u 041", rb"\u+041", rb"\u-041", rb"\u0x41", rb"\v"),
)
UTF_8: Final = ("c280", "c3a9", "dfbf", "e0a080", "e28fa8", "ed9fbf", "ee8080", "f0908080", "f48fbfbf", "efbbbf")
NO_UTF_8: Final = (
    "c080",
    "c1bf",
    "e08080",
    "e09fbf",
    "eda080",
    "edbfbf",
    "f0808080",
    "f08fbfbf",
    "f4908080",
    "f5808080",
)
NUMBERS: Final = (
    *(b"0", b"7", b"10", b"9007199254740993", b"9223372036854775807", b"9223372036854775808", b"9223372036854775809"),
    *(
        b"18446744073709551616",
        b"1" + b"0" * 400,
        b"9" * 5000,
        b"0.0",
        b"1.5",
        b"0.1",
        b"1e0",
        b"1E5",
        b"1e+5",
        b"1e-5",
    ),
    *(b"0e0", b"123.456e78", b"1e308", b"1e309", b"5e-324", b"1e-400", b"2.2250738585072014e-308", b"1e99999"),
    *(b"0.1e-9999", b"0." + b"0" * 5000 + b"1"),
)
NO_NUMBERS: Final = (
    b"",
    b"+1",
    b"00",
    b"01",
    b"1.",
    b".5",
    b"1.e5",
    b"1e",
    b"1e+",
    b"1e-",
    b"0x1",
    b"1_0",
    b" 1",
    b"1 1",
)
DOCUMENT: Final = b' {"a" : [ 1, -2.5, "x", null , true,false ] ,\t"b":{"c":{} , "d":[]}}\r'
TWICE: Final = (
    *(b'{"twice":1,"twice":2}', b'{"twice":{},"x":1,"twice":[]}', rb'{"tw\u0069ce":1,"twice":2}', b'{"":0,"":1}'),
)
NO_STRUCTURES: Final = (
    *(b"[1,]", b"[,1]", b"[1 2]", b"[1", b"]", b"[}", b"{]", b'{"a"}', b'{"a":}', b'{"a":1,}', b'{,"a":1}', b"{1:2}"),
    *(b"{a:1}", b"{'a':1}", b'{"a" 1}', b'{"a":1 "b":2}', b'{"a"::1}', b"[1]]", b"{}{}", b"1 2", b"1,", b"", b" "),
    *(b"\t", b"nul", b"nulll", b"True", b"tru", b"falsE", b"NaN", b"-Infinity", b"Infinity", b"// x", b"[]//", b"\x00"),
    *(b"\xef\xbb\xbf{}", b"{}\xef\xbb\xbf", b"{}\x00", b"\x0c{}", b"\xc2\xa0{}", b"\xff\xfe{\x00}\x00", b'{"a":1,"a"'),
)


def strings() -> Iterator[bytes]:
    """Escapes and encodings, right and wrong, and cut off."""
    for part in (*ESCAPES, *NO_ESCAPES, *map(bytes.fromhex, (*UTF_8, *NO_UTF_8))):
        for cut in range(1, len(part) + 1):
            yield from (b'"' + part[:cut] + b'"', b'"' + part[:cut], b'{"x' + part[:cut] + b'y":1}')
    for byte in {*range(256)} - {ord("\n")}:
        char = bytes([byte])
        yield from (b'"' + char + b'"', b'"a' + char + b'\x80b"', char + b"1", b"1" + char)


def numbers() -> Iterator[bytes]:
    """Integers up to their limits, and doubles beyond."""
    for digits in (*NUMBERS, *NO_NUMBERS):
        yield from (digits, b"-" + digits, b"[" + digits + b"]")


def structures() -> Iterator[bytes]:
    """Objects and lists: whole, cut off, with something behind them, and deep."""
    yield from (DOCUMENT[:cut] for cut in range(len(DOCUMENT) + 1))
    yield from (*TWICE, *NO_STRUCTURES)
    for depth in (MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, 100_000):
        yield b"[" * depth + b"]" * depth
        yield b"[" * depth
        yield b'{"a":' * depth + b"1" + b"}" * depth
        yield b'{"a":[' * (depth // 2) + b"]}" * (depth // 2)


def long_lines() -> Iterator[bytes]:
    """Four MiB."""
    yield b'"' + b"x" * (4 * MIB) + b'"'
    yield b'{"x":"' + b"\\n" * (2 * MIB) + b'"}'
    yield b"[" + b"-1234567," * (4 * MIB // 9) + b"0]"
    yield b"[" + b"[0]," * MIB
    yield b" " * (4 * MIB) + b"{}"


def check(reader: Path, lines: list[bytes]) -> None:
    """The reader must agree with Python about every line."""
    for line, found in zip(lines, read(reader, lines), strict=True):
        wanted = expected(line)
        if wanted is None:
            assert found.startswith(b"error at byte "), line[:200]
        else:
            assert found == wanted, line[:200]


@pytest.mark.parametrize("lines", [strings, numbers, structures, long_lines], ids=lambda each: each.__name__)
def test_it_reads_what_is_json_and_refuses_what_is_not(reader: Path, lines: Any) -> None:
    check(reader, list(lines()))


def test_it_judges_the_bad_lines_of_the_protocol_as_json(reader: Path) -> None:
    check(reader, [line for each in bad_line_bytes() for line in each.split(b"\n")])


def test_it_agrees_with_python_about_messages_with_any_change(reader: Path) -> None:
    random = Random("readers")
    sample = (ROOT / "bots/first-python/sample.jsonl").read_bytes().splitlines()
    short = [line for line in sample if len(line) < 2000]
    changed = [*VALUES, *sample]
    for _ in range(1500):
        line = random.choice(short)
        for _ in range(random.randint(1, 3)):
            line = mutate(line, random)
        changed.append(line)
    check(reader, [line for each in changed for line in each.split(b"\n")])


@pytest.mark.parametrize(
    ("line", "byte"),
    [(b'{"a":1}x', 8), (b'{"a":1,}', 8), (b'["\\x"]', 4), (b"[1 2]", 4), (b"[00]", 3), (b"[nope]", 2), (b'"\xff"', 2)],
    ids=str,
)
def test_an_error_says_where(reader: Path, line: bytes, byte: int) -> None:
    assert read(reader, [line])[0].startswith(b"error at byte %d: " % byte)
