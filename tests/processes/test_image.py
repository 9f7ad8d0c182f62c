"""With `files = "image"` each process of a bot has a file system of its own; where that can't be, nothing is played."""

import os
import platform
import socket
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import trio

from referee.bots.bot_spec import parse_bot
from referee.bots.preflight import Preflight
from referee.processes.launch import Command
from referee.processes.limits.process_limits import DEFAULT
from referee.processes.sandbox import image
from referee.processes.sandbox.bubblewrap import Sandbox, SandboxError
from referee.processes.sandbox.image import ImageError, make_image, sizes, why_no_images
from referee.processes.supervisor import supervise
from tests.cli.command import referee
from tests.processes.image_fixture import PYTHON, imaged, needs_images
from tests.processes.sandboxed import WORKING, needs_sandbox
from tests.timeouts import TEST_TIMEOUT


@pytest.fixture
def with_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A sandbox whose files come from an image that contains the temporary folder."""
    (tmp_path / "own").write_text("as it was")
    yield from imaged(tmp_path, monkeypatch)


async def output(sandbox: Sandbox, argv: list[str], folder: Path, show: tuple[Path, ...] = ()) -> str:
    """What a program in the sandbox prints."""
    async with supervise(sandbox) as supervisor:
        with trio.fail_after(TEST_TIMEOUT):
            process = await supervisor.start(Command(tuple(argv), folder, show=show), DEFAULT)
            await trio.lowlevel.wait_readable(process.stdout)
            await process.exited.wait()
            text = os.read(process.stdout, 65536).decode() + process.stderr.tail.decode()
            process.stop()
            await process.closed.wait()
    return text


@pytest.mark.slow
@needs_images
async def test_each_process_sees_a_file_system_of_its_own(with_image: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "own").write_text("changed since")
    device = "import os; print(os.stat('/usr/bin/env').st_dev == os.stat('own').st_dev, open('own').read())"
    assert await output(with_image, [PYTHON, "-c", device], tmp_path) == "True as it was\n"
    numbers = [await output(with_image, ["cat", "/proc/self/mountinfo"], tmp_path) for _ in range(2)]
    assert all(" - erofs " in each for each in numbers)
    mounted = Path("/proc/self/mountinfo").read_text()
    assert with_image.image is not None
    assert str(with_image.image.mount) not in mounted


@needs_images
@pytest.mark.slow
async def test_a_socket_that_is_shown_is_that_of_the_machine(
    with_image: Sandbox, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("private") / "socket"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(place))
        place.chmod(0o666)
        listening.listen()
        connect = f"import socket; print(socket.socket(socket.AF_UNIX).connect({str(place)!r}))"
        assert await output(with_image, [PYTHON, "-c", connect], tmp_path, (place,)) == "None\n"


@needs_images
def test_an_image_has_no_hidden_folders(tmp_path: Path) -> None:
    for name in ("shown", "hidden", "hidden/shown"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name * 1000)
    made = make_image([str(tmp_path), str(tmp_path / "hidden" / "shown")], [str(tmp_path / "hidden")])
    content = made.file.read_bytes()
    assert b"shownshown" in content
    assert b"hidden/shownhidden/shown" in content
    assert b"hiddenhidden" not in content
    made.remove()
    assert not made.file.parent.exists()
    assert (tmp_path / "hidden" / "file").exists()


@needs_images
def test_an_image_that_cannot_be_made_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(image, "find_tool", lambda name: "/bin/false")
    with pytest.raises(ImageError, match="can't be made or mounted"):
        make_image(["/etc/passwd"])
    assert list(tmp_path.iterdir()) == []


REFUSALS = {
    "an ordinary user": (os, "geteuid", lambda: 1000, "only root can mount it for each bot"),
    "an old kernel": (platform, "release", lambda: "6.11.2-amd64", "Linux 6.11.2-amd64 can't mount erofs from a file"),
    "no erofs": (image, "FILE_SYSTEMS", Path(os.devnull), r"the kernel has no erofs \(modprobe erofs\)"),
    "no tool": (image, "find_tool", lambda name: None, r"mkfs.erofs is not installed \(apt-get install erofs-utils\)"),
}
"""What a machine lacks, how that is said to the referee, and why it is refused."""


@pytest.fixture
def capable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that can have images, as far as it says."""
    systems = tmp_path / "filesystems"
    systems.write_text("nodev\tproc\n\terofs\n")
    monkeypatch.setattr(image, "FILE_SYSTEMS", systems)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(platform, "release", lambda: "6.12.0-rc1")
    monkeypatch.setattr(image, "find_tool", lambda name: f"/usr/bin/{name}")
    assert why_no_images() == ""


@needs_sandbox
@pytest.mark.usefixtures("capable")
@pytest.mark.parametrize(("where", "name", "value", "why"), REFUSALS.values(), ids=REFUSALS)
def test_a_run_is_refused_where_it_cannot_be_had(
    where: object, name: str, value: object, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, name, value)
    monkeypatch.setattr("referee.bots.preflight.choose", lambda *rest: (WORKING, ""))
    bot = msgspec.structs.replace(parse_bot("true"), from_command_line=True)
    preflight = Preflight([bot], mode="auto", files="image", environment={}, on_notice=lambda text: None)
    with pytest.raises(SandboxError, match=why):
        preflight.choose_sandbox()
    with pytest.raises(ImageError, match=why):
        make_image(["/etc/passwd"])


def test_a_match_without_a_sandbox_is_refused() -> None:
    run = referee("match", "true", "builtin:first", "--no-record", "--sandbox", "none", "--files", "image")
    assert run.status == 1
    assert "there is no sandbox" in run.err


@needs_images
def test_files_for_which_there_is_no_room_are_refused_before_any_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, images = tmp_path / "bot", tmp_path / "images"
    bot.mkdir()
    images.mkdir()
    with (bot / "sparse").open("wb") as file:
        file.truncate(1 << 43)
    monkeypatch.setattr("tempfile.tempdir", str(images))
    with pytest.raises(ImageError, match=rf"has room for .*; the largest is {bot}/sparse, with 8,796,093 MB"):
        make_image([str(bot)])
    assert list(images.iterdir()) == []


def test_sizes_are_counted_once(tmp_path: Path) -> None:
    for name, size in {"a/one": 10, "a/hidden/not": 100, "a/hidden/shown/three": 1000}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(bytes(size))
    (tmp_path / "a" / "again").hardlink_to(tmp_path / "a" / "one")
    (tmp_path / "link").symlink_to("a")
    shown = [str(tmp_path / name) for name in ("a", "link", "a/hidden/shown", "missing")]
    assert sum(size for _, size in sizes(shown, [str(tmp_path / "a" / "hidden")])) == 1010
