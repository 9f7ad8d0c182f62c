"""The distributions: a wheel with the three packages and their data, an sdist that can be built and tested."""

import re
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path
from typing import Final

import pytest

from referee.kits.kits import KITS
from referee.version import __version__
from tournaments.competition.formats.registry import EXAMPLES

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("protocol", "referee", "tournaments")
DATA: Final = {
    "protocol/bad-lines.json",
    "protocol/specification.md",
    "protocol/py.typed",
    "referee/py.typed",
    "tournaments/py.typed",
    *(
        f"{package.replace('.', '/')}/{file}"
        for package, _, file in (example.partition(":") for example in EXAMPLES.values())
        if package.startswith("tournaments.")
    ),
    "referee/games/forbidden_city/tiles.toml",
    "tournaments/competition/formats/starters.toml",
    *(f"referee/games/{game}/rule_texts.toml" for game in ("year_of_the_dragon", "forbidden_city")),
    *(f"referee/pages/{name}" for name in ("scene.css", "bundle/page.js", "bundle/page.css")),
    *(f"referee/reports/templates/{name}" for name in ("page.html", "report.css", "report.js")),
    "referee/kits/templates/common/.gitignore",
    "referee/kits/templates/common/sample.jsonl",
    *(f"referee/kits/templates/{name}/{file}" for name, kit in KITS.items() for file in ("bot.toml", kit.edit)),
}
DIST_INFO: Final = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
TOP_OF_SDIST: Final = {
    ".ci",
    ".gitattributes",
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "PKG-INFO",
    "README.md",
    "bots",
    "docs",
    "protocol",
    "pyproject.toml",
    "referee",
    "requirements",
    "tests",
    "tournaments",
}


def build(source: Path, target: str, folder: Path) -> Path:
    """Build a distribution (`wheel` or `sdist`) of a source tree without network; returns its file."""
    argv = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    done = subprocess.run(argv, cwd=source, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout."""
    return build(ROOT, "wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, built from the checkout."""
    return build(ROOT, "sdist", tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the sdist unpacks to."""
    folder = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["tar", "-xzf", sdist, "-C", folder], check=True)  # tarfile has filters from Python 3.11.4 on
    return folder / f"tabletop_referee-{__version__}"


def wheel_names(wheel: Path) -> set[str]:
    """The files in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def wheel_metadata(wheel: Path) -> Message:
    """The metadata that an installer reads."""
    with zipfile.ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(f"tabletop_referee-{__version__}.dist-info/METADATA").decode())


def files_under(folder: Path) -> set[str]:
    """All files below a folder but caches, as paths relative to it."""
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.mark.slow
def test_the_wheel_holds_the_three_packages_with_their_data_and_nothing_else(wheel: Path) -> None:
    shipped = {f"{package}/{name}" for package in PACKAGES for name in files_under(ROOT / package)}
    shipped = {name for name in shipped if not name.startswith(("protocol/transcripts/", "referee/pages/browser/"))}
    shipped |= {f"protocol/rules/{name}" for name in files_under(ROOT / "docs/rules")}
    info = {f"tabletop_referee-{__version__}.dist-info/{name}" for name in DIST_INFO}
    assert wheel_names(wheel) == shipped | info


def test_the_wheel_holds_every_data_file_that_the_code_reads(wheel: Path) -> None:
    assert wheel_names(wheel) >= DATA


def test_the_metadata_says_version_license_and_what_is_needed(wheel: Path) -> None:
    metadata = wheel_metadata(wheel)
    assert metadata["Name"] == "tabletop-referee"
    assert metadata["Version"] == __version__
    assert metadata["License-Expression"] == "MIT"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Requires-Python"] == ">=3.11"
    needed = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    names = sorted(re.split("[<>=]", line)[0] for line in needed)
    assert names == ["msgspec", "rich", "tomli-w", "trio", "typer"]


@pytest.mark.slow
def test_every_extra_that_a_page_or_a_message_names_is_one(wheel: Path) -> None:
    extras = set(wheel_metadata(wheel).get_all("Provides-Extra", []))
    assert {name for name in extras if not name.isalpha()} == set(), "pip 23.2 takes one spelling of other names"
    named = re.compile(r"""(?:'\.|\.whl)\[([\w, -]+)\]|install_extra\(.(\w+).\)|extras? `([^`]+)`""")
    sources = [path for folder in (*PACKAGES, "bots", "docs") for path in (ROOT / folder).rglob("*.*")]
    found = dict[str, str]()
    for path in (*ROOT.glob("*.md"), *sources):
        if path.suffix in (".md", ".py", ".toml") and "node_modules" not in path.parts:
            for match in named.finditer(path.read_text("utf-8")):
                found |= dict.fromkeys(re.split(r"\s*,\s*", next(filter(None, match.groups()))), path.name)
    assert {name: page for name, page in found.items() if name not in extras} == {}
    assert set(found) >= {"web", "report", "gym", "openspiel", "parquet", "mcp", "dask"}


@pytest.mark.ci_only
def test_the_sdist_holds_what_building_and_testing_takes_and_no_caches(sdist: Path, unpacked: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {name.partition("/")[0] for name in names} == TOP_OF_SDIST
    assert not {name for name in names if "__pycache__" in name or name.endswith(".pyc") or "_cache/" in name}
    assert (unpacked / "tests/conftest.py").is_file()
    assert list(unpacked.glob("tests/fuzz/corpus/*/*"))
    assert list(unpacked.glob("bots/*/bot.toml"))


@pytest.mark.slow
def test_the_sdist_leaves_out_no_file_of_the_repository(unpacked: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("this is no checkout, so nothing says which files belong to the repository")
    argv = ["git", "ls-files", "-z", "--cached"]
    listed = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout.split("\0")
    tracked = {name for name in listed if name and (ROOT / name).exists()}
    assert files_under(unpacked) - {"PKG-INFO"} == tracked


@pytest.mark.slow
def test_the_sdist_builds_the_same_wheel(wheel: Path, unpacked: Path, tmp_path: Path) -> None:
    again = build(unpacked, "wheel", tmp_path)
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_python_m_referee_is_the_command(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "referee", "--help"]
    done = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Usage: referee " in done.stdout
    assert {"match", "record", "games", "schema"} <= set(done.stdout.split())
