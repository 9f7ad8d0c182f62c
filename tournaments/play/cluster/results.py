"""What a machine has sent of a finished game, put where the plan of the director wants it."""

import zlib
from contextlib import suppress

from msgspec import Raw, structs

from referee.processes.stderr_log import StderrExcerpt
from referee.record.writer import Recorder, RecordFile, RecordInMemory
from tournaments.play.plan import GamePlan
from tournaments.play.runner import PlayedGame
from tournaments.play.schedule import ScheduledGame
from tournaments.play.worker_messages import TaskResult


def unpacked(plan: GamePlan, game: ScheduledGame, result: TaskResult) -> tuple[PlayedGame, Recorder]:
    """The finished game and its record; the files that the plan wants are written. Raises RecordWriteError.

    `result`: one that is usable for this game.
    """
    stderr: list[StderrExcerpt | None] = []
    for seat, (excerpt, content) in enumerate(zip(result.played.stderr, result.stderr, strict=True)):
        file = plan.stderr_path(game, seat)
        if file is not None and content is not None:
            with suppress(OSError):  # as with StderrLog: a full disk must not end a game
                file.write_bytes(zlib.decompress(content))
        if excerpt is not None:
            excerpt = structs.replace(excerpt, path=None if excerpt.path is None else file)  # noqa: PLW2901
        stderr.append(excerpt)
    lines = b"" if result.content is None else zlib.decompress(result.content)
    recorder = RecordInMemory(lines) if plan.records_in_memory else plan.recorder(game)
    if isinstance(recorder, RecordFile):
        for line in lines.splitlines():
            recorder.write(Raw(line))
        recorder.close()
    path = recorder.path if isinstance(recorder, RecordFile) else result.played.record
    return structs.replace(result.played, game=game, stderr=stderr, record=path), recorder
