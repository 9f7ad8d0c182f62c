"""`make mutants`: put single faults into a copy of the product, one at a time, and see which ones no test finds."""

import argparse
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from tests.mutants.areas import AREAS, Area
from tests.mutants.mutations import Mutation, mutations, numbered_lines

ROOT: Final = Path(__file__).parents[2]
REPORTS: Final = ROOT / "build" / "mutants"
NEAR_SECONDS: Final = 20
CPU_SECONDS: Final = 40
"""CPU time for the quick tests of a module and of an area, which take up to a fourth of it. Whoever computes for longer
is in an endless loop."""
SLOW_SECONDS: Final = 30
"""For the slow cases of the tests of a module, cut off after this time."""
QUICK: Final = "not slow and not ci_only and not browser"
SLOW: Final = "(slow or ci_only) and not check_all and not browser"
WALL_SECONDS: Final = 900
MEMORY: Final = 4 << 30


class Mutant(NamedTuple):
    """One mutation of a module of an area."""

    area: str
    module: Path
    mutation: Mutation


def sample(root: Path, seed: str, count: int) -> list[Mutant]:
    """A sample of all mutants of a tree: from each area by its share, in random order."""
    random = Random(seed)
    chosen: list[Mutant] = []
    for name, area in AREAS.items():
        modules = {module: mutations((root / module).read_bytes()) for module in area.modules(root)}
        every = [Mutant(name, module, mutation) for module, found in modules.items() for mutation in found]
        chosen += random.sample(every, min(round(count * area.share), len(every)))
    random.shuffle(chosen)
    return chosen


@contextlib.contextmanager
def copy_of_the_tree() -> Iterator[Path]:
    """A copy of all files that are not ignored."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        copy = Path(temporary, "tree")
        Path(temporary).chmod(0o755)  # bots run as other users
        listed = subprocess.run(
            ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True, text=True
        ).stdout
        for name in listed.rstrip("\0").split("\0"):
            if (ROOT / name).exists():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
        yield copy


def failure(copy: Path, tests: list[str], marks: str, cpu_seconds: int) -> str | None:
    """The first test that fails in the copy, "time" if they took too long, None if none fails."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))

    options = ["-x", "-n", "0", "-p", "no:cacheprovider", "--timeout=60", "--hypothesis-seed=0", "--tb=no", "-m", marks]
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", *options, *tests], cwd=copy, env=os.environ | {"PYTHONPATH": str(copy)},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=limit, start_new_session=True,  # noqa: PLW1509 (there are no threads)
    ) as process:  # fmt: skip
        try:
            output, _ = process.communicate(timeout=WALL_SECONDS)
        except subprocess.TimeoutExpired:
            output = ""
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    shutil.rmtree(copy / ".hypothesis", ignore_errors=True)  # no mutant gets the examples of another
    if process.returncode in (0, 5):  # 5: no tests
        return None
    if process.returncode < 0:
        return "time"
    if "file or directory not found" in output:
        raise RuntimeError(output)  # see `areas`
    named = [line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))]
    return named[0].split(" ")[1] if named else "import"  # nothing can be imported, so not even `conftest.py`


def killer(copy: Path, area: Area, module: Path, *, slow: bool) -> str | None:
    """What the quick tests find: first those that are called like the module, then all of its area. Or what the slow
    cases of the former find in a short time."""
    near, others = area.test_modules(copy, module)
    if slow:
        found = failure(copy, near, SLOW, SLOW_SECONDS) if near else None
        return None if found == "time" else found
    return (failure(copy, near, QUICK, NEAR_SECONDS) if near else None) or failure(copy, others, QUICK, CPU_SECONDS)


@contextlib.contextmanager
def put_into(copy: Path, number: int, mutant: Mutant) -> Iterator[bytes]:
    """Within this, the copy has a fault. Gives the original source."""
    path = copy / mutant.module
    original, times = path.read_bytes(), path.stat()
    path.write_bytes(mutant.mutation.apply(original))
    os.utime(path, (number, number))  # else bytecode of the same second and size would be taken for its own
    yield original
    path.write_bytes(original)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def main() -> int:
    """0 whatever survives: that is for people to judge."""
    parser = argparse.ArgumentParser(prog="make mutants")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=150)
    arguments = parser.parse_args()
    REPORTS.mkdir(parents=True, exist_ok=True)
    with copy_of_the_tree() as copy, (REPORTS / f"{arguments.seed}.txt").open("w") as report:

        def say(text: str) -> None:
            for file in (sys.stdout, report):
                file.write(f"{text}\n")
                file.flush()

        for name, area in AREAS.items():
            found = failure(copy, area.test_modules(copy, Path())[1], QUICK, CPU_SECONDS)
            if found is not None:
                say(f"{name}: {found} fails without any fault. Nothing was tried.")
                return 1
        chosen = dict(enumerate(sample(copy, arguments.seed, arguments.count), 1))
        left = dict(chosen)
        for slow in (False, True):
            for number, mutant in list(left.items()):
                started = time.monotonic()
                with put_into(copy, number, mutant) as original:
                    found = killer(copy, AREAS[mutant.area], mutant.module, slow=slow)
                if found is not None:
                    del left[number]
                said, seconds = "killed  " if found else "SURVIVED", time.monotonic() - started
                say(f"{number:3} {said} {seconds:5.1f} s  {mutant.module} ({mutant.mutation.kind})  {found or ''}")
                if not slow:
                    say("\n".join(numbered_lines(original, mutant.mutation)))
        for name in AREAS:
            count, alive = (sum(mutant.area == name for mutant in some.values()) for some in (chosen, left))
            say(f"{name:12} {count - alive:3} of {count:3} killed")
        share = 1 - len(left) / len(chosen)
        margin = 1.96 * (share * (1 - share) / len(chosen)) ** 0.5
        say(f"{len(chosen) - len(left)} of {len(chosen)} killed: {share:.0%} ± {margin:.0%}. Left: {[*left]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
