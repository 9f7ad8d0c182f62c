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
from tests.kits.harness import TEMPLATES
from tests.protocol.bad_lines import CASES
from tests.protocol.bad_lines import written as line_of
from tests.timeouts import COMPILER_TIMEOUT, TEST_TIMEOUT

MIB: Final = 1 << 20
READERS: Final = Path(__file__).with_name("readers")
SANITIZED: Final = ("-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover")


class Reader(NamedTuple):
    """The reader of a kit, in a program that writes what it reads. All files are in one folder."""

    kit: str
    files: tuple[str, ...]
    """Of the kit; the last one is the program's, in the folder readers."""
    build: tuple[str, ...]
    run: tuple[str, ...] = ("./read_json",)
    max_depth: int = 512
    by_value: bool = False
    """Whether it writes JSON again, which doesn't tell how often a member was given, and not all ints from doubles."""


pytestmark = pytest.mark.ci_only

BUILDS: Final = (
    Reader(
        "c",
        ("json.c", "json.h", "read_json.c"),
        ("cc", "-std=c11", *SANITIZED, "read_json.c", "json.c", "-lm", "-o", "read_json"),
    ),
    Reader(
        "cpp",
        ("json.cpp", "json.hpp", "read_json.cpp"),
        ("c++", "-std=c++17", *SANITIZED, "read_json.cpp", "json.cpp", "-o", "read_json"),
    ),
    Reader("rust", ("src/json.rs", "read_json.rs"), ("rustc", "--edition", "2021", "read_json.rs")),
    Reader(
        "java",
        ("bot/Json.java", "JsonEcho.java"),
        ("javac", "-J-XX:TieredStopAtLevel=1", "-d", ".", "Json.java", "JsonEcho.java"),
        ("java", "-XX:+UseSerialGC", "-cp", ".", "bot.JsonEcho"),
        max_depth=500,
        by_value=True,
    ),
)


class Built(NamedTuple):
    """A program that has been built, and its folder."""

    reader: Reader
    folder: Path


@pytest.fixture(
    scope="module",
    params=[
        # Built once each. What takes longest is left to `make check-all`: in CI these kits play and read bad lines.
        pytest.param(
            each,
            id=each.kit,
            marks=[
                pytest.mark.xdist_group(f"reader {each.kit}"),
                *([pytest.mark.check_all] if each.kit in ("cpp", "java") else []),
            ],
        )
        for each in BUILDS
    ],
)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The program, built from the files of the kit."""
    reader: Reader = request.param
    folder = tmp_path_factory.mktemp(reader.kit)
    if find_program(reader.build[0], folder) is None:
        pytest.skip(f"needs {reader.build[0]}")
    *files, program = reader.files
    for file in (*(TEMPLATES / reader.kit / file for file in files), READERS / program):
        shutil.copy(file, folder)
    subprocess.run(reader.build, cwd=folder, check=True, timeout=COMPILER_TIMEOUT)
    return Built(reader, folder)


def read(built: Built, lines: list[bytes]) -> list[bytes]:
    """What the reader makes of each line, as `written` writes it. The sanitizers find no fault and no leak."""
    text = b"".join(line + b"\n" for line in lines)
    run = [*built.reader.run]
    done = subprocess.run(run, cwd=built.folder, input=text, capture_output=True, timeout=TEST_TIMEOUT, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    assert done.stderr == b""
    return done.stdout.split(b"\n")[:-1]


# -- what JSON is, by Python's reader --------------------------------------------------------------------------------


class Members(list[tuple[str, Any]]):
    """An object, with the members that are given twice."""


def expected(line: bytes, reader: Reader) -> bytes | None:
    """What a reader must make of a line; None if it must refuse it."""
    text, depth, twice = meaning(line, reader.by_value)
    if text is None or depth > reader.max_depth:
        return None
    return text if reader.by_value else text + twice


@cache
def meaning(line: bytes, by_value: bool) -> tuple[bytes | None, int, bytes]:
    """A line as `written` writes it, None if it isn't JSON; how deep it is; what the member `twice` counts as."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 4000)
    try:
        hook = (lambda pairs: Members(dict(pairs).items())) if by_value else Members
        ints = float_beyond_18_digits if by_value else integer
        value = json.loads(line.decode("utf-8"), object_pairs_hook=hook, parse_int=ints, parse_constant=refuse)
        text = written(value)
        twice = [each for name, each in value if name == "twice"] if isinstance(value, Members) else []
        return text.encode(), deepest(value), f" twice={written(twice[-1])}".encode() if twice else b""
    except (ValueError, RecursionError):
        return None, 0, b""
    finally:
        sys.setrecursionlimit(limit)


def deepest(value: Any) -> int:
    """How many lists and objects are in each other."""
    parts = [each for _, each in value] if isinstance(value, Members) else value if isinstance(value, list) else None
    return 0 if parts is None else 1 + max(map(deepest, parts), default=0)


def float_beyond_18_digits(digits: str) -> int | float:
    """As a reader does that has no exact limit."""
    return int(digits) if len(digits) < 19 else float(digits)


def integer(digits: str) -> int | float:
    """Integers beyond 64 bits are the nearest double."""
    value = int(digits) if len(digits) < 25 else 1 << 64
    return value if -(1 << 63) <= value < 1 << 63 else float(digits)


def refuse(constant: str) -> None:
    """NaN and Infinity are not JSON, though Python reads them."""
    raise ValueError(constant)


def written(value: Any) -> str:
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
    if isinstance(value, Members):
        return "{" + "".join(f"{written(name)}:{written(each)}," for name, each in value) + "}"
    return "[" + "".join(f"{written(each)}," for each in value) + "]"


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
    for depth in (100, 450, 512, 513, 100_000):
        yield b"[" * depth + b"]" * depth
        yield b"[" * depth
        yield b'{"a":' * depth + b"1" + b"}" * depth
        yield b'{"a":[' * (depth // 2) + b"]}" * (depth // 2)


def long_lines() -> Iterator[bytes]:
    """One MiB; of the list with the most elements, which is what takes time, a quarter."""
    yield b'"' + b"x" * MIB + b'"'
    yield b'{"x":"' + b"\\/" * (MIB // 2) + b'"}'
    yield b"[" + (b'["%s",-12.5],' % (b"x" * 100)) * (MIB // 110) + b"0]"
    yield b"[" + b"[0]," * (MIB // 16)
    yield b" " * MIB + b"{}"


def check(built: Built, lines: list[bytes]) -> None:
    """The reader must agree with Python about every line."""
    for line, found in zip(lines, read(built, lines), strict=True):
        wanted = expected(line, built.reader)
        if wanted is None:
            assert found.startswith((b"error at byte ", b"invalid")), line[:200]
        elif built.reader.by_value:
            assert meaning(found, True)[0] == wanted, line[:200]
        else:
            assert found == wanted, line[:200]


@pytest.mark.parametrize("lines", [strings, numbers, structures, long_lines], ids=lambda each: each.__name__)
def test_it_reads_what_is_json_and_refuses_what_is_not(built: Built, lines: Any) -> None:
    check(built, list(lines()))


def test_it_judges_the_bad_lines_of_the_protocol_as_json(built: Built) -> None:
    check(built, [line for case in CASES for line in line_of(case).split(b"\n")])


def test_it_agrees_with_python_about_messages_with_any_change(built: Built) -> None:
    random = Random("readers")
    sample = (TEMPLATES / "common/sample.jsonl").read_bytes().splitlines()
    short = [line for line in sample if len(line) < 2000]
    changed = [*VALUES, *sample]
    for _ in range(1500):
        line = random.choice(short)
        for _ in range(random.randint(1, 3)):
            line = mutate(line, random)
        changed.append(line)
    check(built, [line for each in changed for line in each.split(b"\n")])


def test_an_error_says_where(built: Built) -> None:
    if built.reader.by_value:
        pytest.skip("its program doesn't write errors")
    wrong = {b'{"a":1}x': 8, b'{"a":1,}': 8, b'["\\x"]': 4, b"[1 2]": 4, b"[00]": 3, b"[nope]": 2, b'"\xff"': 2}
    errors = read(built, [*wrong])
    assert [error.partition(b": ")[0] for error in errors] == [b"error at byte %d" % byte for byte in wrong.values()]
