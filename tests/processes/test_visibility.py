"""Which files of the machine a bot in the sandbox sees: decided from its command, without starting it."""

import os
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.processes.launch import Command
from referee.processes.sandbox.bubblewrap import Sandbox
from referee.processes.sandbox.visibility import KIT_TEMPLATES, visible_paths


def installed(folder: Path, name: str = "python") -> Path:
    """A program in a `bin` of that folder."""
    program = folder / "bin" / name
    program.parent.mkdir(parents=True)
    program.write_text("")
    program.chmod(0o755)
    return program


def test_installation_of_a_program_is_shown_whole(tmp_path: Path) -> None:
    program = installed(tmp_path / "venv")
    assert visible_paths([str(program), "bot.py"], Path("/usr"), from_command_line=True) == {
        Path("/usr"),
        tmp_path / "venv",
    }


def test_a_program_of_npm_is_shown_with_the_packages_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages, bot = tmp_path / "node_modules", tmp_path / "bot"
    installed(packages / "typescript", "tsc")
    (packages / ".bin").mkdir()
    (packages / ".bin/tsc").symlink_to("../typescript/bin/tsc")
    monkeypatch.setenv("PATH", f"{packages}/.bin")
    bot.mkdir()
    assert packages in visible_paths(["tsc"], bot, from_command_line=False, bot_folders=[bot])


def test_links_and_interpreters_are_followed_to_where_path_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}/venv/bin:{tmp_path}/real/bin:{os.environ['PATH']}")
    real = installed(tmp_path / "real")
    link = tmp_path / "venv" / "bin" / "python"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../real/bin/python")
    script = tmp_path / "bot" / "run"
    script.parent.mkdir()
    script.write_text(f"#!{link} -u\n")
    script.chmod(0o755)
    assert visible_paths(["./run"], script.parent, from_command_line=True) >= {
        script.parent,
        tmp_path / "venv",
        real.parent.parent,
    }


def test_links_and_first_lines_of_a_file_that_the_organiser_names_show_nothing_else(tmp_path: Path) -> None:
    secret = installed(tmp_path / "secret", "deploy")
    folder = tmp_path / "alice"
    folder.mkdir()
    (folder / "link").symlink_to(secret)
    script = folder / "run"
    script.write_text(f'#!/usr/bin/env -S sh -c "cat {secret}" {secret}\n')
    script.chmod(0o755)
    for program in (script, folder / "link"):
        assert visible_paths([str(program)], Path("/usr"), from_command_line=True) == {Path("/usr"), folder}
    advice = Sandbox().missing_from_view(Command((str(folder / "link"),), Path("/usr"), True))
    assert advice is not None
    assert str(secret) in advice


class Venv(NamedTuple):
    """A virtual environment on PATH, whose Python is a link of a link to a base elsewhere, and a bot's folder."""

    venv: Path
    base: Path
    version: Path
    """A link to the base, through which that of the environment leads."""
    bot: Path


@pytest.fixture
def activated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Venv:
    made = Venv(tmp_path / "venv", tmp_path / "python" / "3.12.5", tmp_path / "python" / "3.12", tmp_path / "bot")
    installed(made.base, "python3.12")
    made.version.symlink_to("3.12.5")
    (made.venv / "bin").mkdir(parents=True)
    (made.venv / "bin/python").symlink_to(made.version / "bin/python3.12")
    (made.venv / "bin/python3").symlink_to("python")
    script = made.venv / "bin/tool"
    script.write_text(f"#!{made.venv}/bin/python3\n")
    script.chmod(0o755)
    made.bot.mkdir()
    monkeypatch.setenv("PATH", f"{made.venv}/bin:{os.environ['PATH']}")
    return made


@pytest.mark.parametrize("program", ["python3", "python", "tool"])
@pytest.mark.parametrize("from_command_line", [True, False])
def test_links_of_programs_on_path_are_followed(activated: Venv, program: str, from_command_line: bool) -> None:
    sandbox = Sandbox(hide=(activated.bot,))
    shown = sandbox.visible(Command((program,), activated.bot, from_command_line))
    assert shown == {activated.bot, activated.venv, activated.version, activated.base}
    assert sandbox.missing_from_view(Command((program,), activated.bot, from_command_line)) is None


@pytest.mark.parametrize("place", ["venv", "version", "base"])
def test_no_link_of_a_program_on_path_is_followed_into_or_out_of_a_bots_folder(activated: Venv, place: str) -> None:
    another = getattr(activated, place)
    sandbox = Sandbox(hide=(activated.bot, another))
    shown = sandbox.visible(Command(("python3",), activated.bot, False))
    later = {"venv": {activated.version, activated.base}, "version": {activated.base}, "base": {activated.base}}[place]
    assert shown.isdisjoint(later)
    missing = sandbox.missing_from_view(Command(("python3",), activated.bot, False))
    assert missing is not None
    assert missing.startswith(f"its program {activated.base}/bin/python3.12 is not shown in the sandbox")


def test_a_folder_on_path_that_a_link_leads_into_a_bots_folder_is_in_it(
    activated: Venv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "alias").symlink_to(activated.venv)
    monkeypatch.setenv("PATH", f"{tmp_path}/alias/bin:/usr/bin:/bin")
    shown = Sandbox(hide=(activated.bot, activated.venv)).visible(Command(("python3",), activated.bot, False))
    assert shown == {activated.bot, tmp_path / "alias"}


def test_the_folder_in_which_the_organiser_types_a_command_is_no_bots_folder(activated: Venv, tmp_path: Path) -> None:
    sandbox = Sandbox(hide=(activated.bot, tmp_path), typed=frozenset({tmp_path}))
    for folder, from_command_line in ((activated.bot, False), (tmp_path, True)):
        assert activated.base in sandbox.visible(Command(("python3",), folder, from_command_line))


def test_of_a_link_to_a_program_among_other_files_only_the_program_is_shown(activated: Venv, tmp_path: Path) -> None:
    program = installed(tmp_path / "private", "tool").rename(tmp_path / "private" / "program")
    (activated.venv / "bin/mine").symlink_to(program)
    assert Sandbox().visible(Command(("mine",), activated.bot, False)) == {
        activated.bot, activated.venv, program,
    }  # fmt: skip


def test_an_interpreter_that_is_not_shown_is_named(tmp_path: Path) -> None:
    hidden, folder = installed(tmp_path / "private", "python3"), tmp_path / "bot"
    folder.mkdir()
    (folder / "run").write_text(f"#!{hidden}\n")
    (folder / "run").chmod(0o755)
    missing = Sandbox().missing_from_view(Command(("./run",), folder, False))
    assert missing is not None
    assert missing.startswith(f"its program {hidden} is not shown in the sandbox")


def test_pipe_in_place_of_a_program_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "run", 0o755)
    assert visible_paths(["./run"], tmp_path, from_command_line=False) == {tmp_path}


def test_link_in_a_home_makes_nothing_outside_visible(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    (home / "pics").symlink_to(elsewhere)
    monkeypatch.setenv("HOME", str(home))
    assert home / "pics" not in visible_paths(["sh", "pics"], home, from_command_line=False)


@pytest.mark.parametrize("from_command_line", [True, False])
def test_command_that_comes_with_a_bot_shows_nothing_beyond_its_folder_and_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_command_line: bool
) -> None:
    folder, keys, tools = tmp_path / "bot", tmp_path / "keys", tmp_path / "tools"
    folder.mkdir()
    keys.mkdir()
    (keys / "id_rsa").write_text("secret")
    program = installed(tmp_path / "private", "tool")
    (folder / "link").symlink_to(program)
    installed(tools, "tool")
    monkeypatch.setenv("PATH", f"{tools}/bin:{os.environ['PATH']}")
    base = {folder}
    named = {tmp_path / "private"} if from_command_line else set()
    assert visible_paths([str(program)], folder, from_command_line=from_command_line) == base | named
    assert visible_paths(["./link"], folder, from_command_line=from_command_line) == base
    assert visible_paths(["sh", str(keys / "id_rsa")], folder, from_command_line=from_command_line) >= base
    assert (
        keys in visible_paths(["sh", str(keys / "id_rsa")], folder, from_command_line=from_command_line)
    ) == from_command_line
    assert visible_paths(["tool"], folder, from_command_line=from_command_line) == base | {tools}


@pytest.mark.parametrize("from_command_line", [True, False])
def test_of_a_bot_in_the_home_only_the_files_that_it_names_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_command_line: bool
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "bot.py").write_text("")
    (tmp_path / "diary").write_text("")
    shown = visible_paths(["sh", "bot.py", "../../etc/shadow"], tmp_path, from_command_line=from_command_line)
    assert tmp_path / "bot.py" in shown
    assert tmp_path not in shown
    assert not any(part in (tmp_path / "diary").parents for part in shown)


def test_program_in_the_home_is_shown_without_what_else_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for prefix in (tmp_path, tmp_path / ".local", tmp_path / ".cargo"):
        program = installed(prefix)
        assert prefix not in visible_paths([str(program)], Path("/usr"), from_command_line=True)
        assert program.parent in visible_paths([str(program)], Path("/usr"), from_command_line=True)


def test_organiser_is_warned_of_what_the_sandbox_hides_from_a_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    folder, program = tmp_path / "bot", installed(tmp_path / "private", "tool")
    folder.mkdir()
    assert Sandbox().missing_from_view(Command((str(program),), folder, True)) is None
    assert Sandbox(show=(tmp_path / "private",)).missing_from_view(Command((str(program),), folder, False)) is None
    advice = Sandbox().missing_from_view(Command((str(program),), folder, False))
    assert advice is not None
    assert advice.startswith(f"its program {program} is not shown in the sandbox; put its folder on PATH, or show it")
    advice = Sandbox().missing_from_view(
        Command(
            (
                "sh",
                "-c",
                "true",
            ),
            tmp_path,
            True,
        )
    )
    assert advice is not None
    assert advice.startswith(f"the sandbox shows only the files in {tmp_path} that its command names")
    assert (
        Sandbox().missing_from_view(
            Command(
                (
                    "sh",
                    "-c",
                    "true",
                ),
                folder,
                False,
            )
        )
        is None
    )


def test_unreadable_folder_on_path_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forbidden = f"/home/{'x' * 300}/.local/bin"  # any error of the system will do: root may look everywhere
    with pytest.raises(OSError, match="File name too long"):
        Path(forbidden).is_dir()
    monkeypatch.setenv("PATH", f"{forbidden}:{os.environ['PATH']}")
    assert tmp_path in visible_paths(["sh"], tmp_path, from_command_line=False)


def test_the_files_of_the_kits_are_shown_to_a_command_that_names_them_and_to_no_other(tmp_path: Path) -> None:
    for word, shown in ((f"KIT={KIT_TEMPLATES}/cpp", True), ("KIT=../cpp", False), (str(KIT_TEMPLATES.parent), False)):
        paths = visible_paths(["sh", word], tmp_path, from_command_line=False)
        assert (KIT_TEMPLATES in paths) == shown
        assert KIT_TEMPLATES.parent not in paths


def test_a_command_that_names_a_file_of_another_bot_is_told_that_it_is_hidden(tmp_path: Path) -> None:
    folder, named = tmp_path / "here", tmp_path / "here/other/bot.py"
    named.parent.mkdir(parents=True)
    named.write_text("")
    command = Command(("sh", "other/bot.py"), folder, True)
    advice = Sandbox(hide=(named.parent,)).missing_from_view(command)
    assert advice is not None
    assert advice.startswith(f"the sandbox hides {named}, as {named.parent} belongs to another bot or to records")
    assert Sandbox(hide=(named.parent,), show=(named.parent,)).missing_from_view(command) is None
    assert Sandbox(hide=(folder,)).missing_from_view(command) is None


def test_links_in_a_command_show_nothing(tmp_path: Path) -> None:
    secret, bots, folder = tmp_path / "secret", tmp_path / "bots", tmp_path / "here"
    for each in (secret / "src", bots, folder):
        each.mkdir(parents=True)
    (secret / "src" / "bot.py").write_text("")
    (bots / "alice").symlink_to(secret)
    for word in (f"{bots}/alice", f"{bots}/alice/src/bot.py", "../bots/alice/src"):
        assert visible_paths(["sh", word], folder, from_command_line=True) - {Path("/usr"), Path("/bin")} == {folder}
        advice = Sandbox().missing_from_view(
            Command(
                (
                    "sh",
                    word,
                ),
                folder,
                True,
            )
        )
        assert advice is not None
        assert "symbolic link" in advice
        assert str(secret) in advice


def test_an_element_of_path_that_leads_out_of_a_bots_folder_shows_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot, secret = tmp_path / "bot", tmp_path / "secret"
    installed(secret, "tool")
    installed(bot / "own", "other")
    (bot / "venv").symlink_to(secret)
    monkeypatch.setenv("PATH", f"{bot}/venv/bin:{bot}/own/bin")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    seen = visible_paths(["tool"], elsewhere, from_command_line=False, bot_folders=[bot])
    assert seen - {Path("/usr")} == {elsewhere}  # where Python may be installed
    assert bot / "own" in visible_paths(["other"], elsewhere, from_command_line=False, bot_folders=[bot])
