"""Which addresses name a cluster, and what is refused there, with the reason."""

from pathlib import Path

import pytest
from msgspec import structs

from referee.bots.bot_spec import HUMAN, BotSpec
from tests.cli.command import referee
from tournaments.play.cluster.settings import scheduler_of
from tournaments.play.conditions import Conditions
from tournaments.play.executor import ExecutorError, executor_kind

CLUSTER = Conditions(executor="dask://h:1")


def check(conditions: Conditions, *bots: BotSpec) -> None:
    """Check the conditions as the executor that they name does."""
    executor_kind(conditions).check(conditions, bots, False)


@pytest.mark.parametrize(
    ("address", "scheduler"),
    [
        ("dask://host:8786", "tcp://host:8786"),
        ("dask+tls://10.0.0.1:1", "tls://10.0.0.1:1"),
        ("dask://[::1]:8786", "tcp://[::1]:8786"),
    ],
)
def test_an_address_names_a_scheduler(address: str, scheduler: str) -> None:
    assert scheduler_of(Conditions(executor=address)) == scheduler


@pytest.mark.parametrize(
    "address", ["dask://host", "tcp://host:1", "dask://host:99999", "dask://host:0", "", "dask://:1", "local://h:1"]
)
def test_other_addresses_are_errors(address: str) -> None:
    with pytest.raises(ExecutorError, match="write dask://HOST:PORT"):
        check(Conditions(executor=address))


def test_the_time_of_silence_is_checked() -> None:
    check(Conditions(executor="dask://h:1", lost_after=90))
    with pytest.raises(ExecutorError, match="less than 5 s"):
        check(Conditions(executor="dask://h:1", lost_after=1))
    with pytest.raises(ExecutorError, match="has no effect without --executor"):
        check(Conditions(lost_after=9))
    check(Conditions(executor="local", lost_after=9))  # resumed on this machine


MATCH = ("match", "builtin:random", "--no-record", "--executor", "dask://127.0.0.1:9")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("tcp:0",), "connects to a port of this machine (tcp:PORT)"),
        (("python3 -c pass",), "is a command, and the referee can't know which files it needs"),
        (("builtin:first", "--trace", "traces"), "--trace keeps the lines"),
        (("builtin:first", "--forget-files"), "--forget-files has no effect on a cluster"),
        (("builtin:first", "--files", "image"), "an image is made of the files of this machine"),
    ],
)
def test_what_cannot_be_played_on_a_cluster_is_refused_with_the_reason(
    arguments: tuple[str, ...], reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("distributed", reason="the packages of the extra dask are not installed")
    monkeypatch.chdir(tmp_path)
    refused = referee(*MATCH, *arguments)
    assert refused.status == 2
    assert reason in " ".join(refused.err.split())


def test_persons_and_pages_stay_on_this_machine() -> None:
    with pytest.raises(ExecutorError, match="human is a person, who plays at this machine"):
        check(CLUSTER, BotSpec(name="human", policy=HUMAN))
    asker = BotSpec(name="asker", argv=("x",), show=(Path("/run/llm"),))
    with pytest.raises(ExecutorError, match="asker is shown /run/llm, which only this machine has"):
        check(CLUSTER, asker)
    with pytest.raises(ExecutorError, match="--watch shows the games that this machine plays"):
        check(structs.replace(CLUSTER, watched=True))


TOURNAMENT = """
format = "round_robin"
game = "forbidden_city"
[run]
executor = "dask://127.0.0.1:9"
{run}
[[bot]]
builtin = "random"
[[bot]]
builtin = "first"
{bot}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run", "bot", "reason"),
    [
        ("", 'exclusive = "gpu"', "nobody knows which machine of the cluster has it"),
        ('lost_after = "soon"', "", "line 6: lost_after: "),
        ("build_remotely = 1", "", "build_remotely"),
    ],
)
def test_what_a_tournament_cannot_do_on_a_cluster_is_refused_with_the_reason(
    tmp_path: Path, run: str, bot: str, reason: str
) -> None:
    pytest.importorskip("distributed", reason="the packages of the extra dask are not installed")
    file = tmp_path / "cup.toml"
    file.write_text(TOURNAMENT.format(run=run, bot=bot))
    refused = referee("tournament", "run", file)
    assert refused.status in (1, 2)
    assert reason in " ".join(refused.err.split())
    assert not (tmp_path / "cup").exists()


@pytest.mark.parametrize("option", [("--lost-after", "9s"), ("--build-remotely",)])
def test_some_options_need_a_cluster(option: tuple[str, ...], tmp_path: Path) -> None:
    refused = referee("match", "builtin:random", "builtin:first", *option, "--no-record")
    reason = f"{option[0]} ({option[0][2:].replace('-', '_')} in [run]) has no effect without --executor"
    assert (refused.status, reason in refused.err) == (2, True)
    file = tmp_path / "cup.toml"
    file.write_text(TOURNAMENT.format(run="", bot="").replace('executor = "dask://127.0.0.1:9"', ""))
    refused = referee("tournament", "run", file, "--build-remotely")
    assert (refused.status, f"{file}: --build-remotely (build_remotely in [run])" in refused.err) == (2, True)


def test_without_the_extra_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournaments.play.executor.find_spec", lambda name: None)
    refused = referee(*MATCH, "builtin:first")
    assert refused.status == 1
    assert "pip install -e '.[dask]'" in refused.err
