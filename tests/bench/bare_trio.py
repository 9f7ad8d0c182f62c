"""The lower bound for a Trio referee: `bare_referee.c`, written in the obvious way.

    python bare_trio.py GAMES QUESTIONS TRAFFIC_FILE BOT_COMMAND...

One task per game, the pipe streams Trio gives with a process, no engine, no JSON: the gap to `bare_referee`
is what Trio costs, and the gap from here to the real referee is ours.
"""

import json
import resource
import sys
import time
from functools import partial
from pathlib import Path
from subprocess import PIPE

import trio

HELLO = b'{"type":"hello","protocol":1,"referee":"bare"}\n'
QUIT = b'{"type":"quit"}\n'


class Bot:
    """A bot's process, asked one line at a time."""

    def __init__(self, process: trio.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin = process.stdin
        self.stdout = process.stdout

    async def ask(self, line: bytes) -> bytes:
        await self.stdin.send_all(line)
        answer = b""
        while not answer.endswith(b"\n"):
            chunk = await self.stdout.receive_some()
            if not chunk:
                raise EOFError("a bot has gone")
            answer += chunk
        return answer


async def play(bots: list[Bot], questions: int, traffic: list[bytes]) -> None:
    for k in range(questions):
        await bots[k % 2].ask(traffic[k % len(traffic)])


def cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main(games: int, questions: int, traffic: list[bytes], command: list[str]) -> None:
    # The outer nursery owns the processes: whatever goes wrong, run_process kills and reaps them.
    async with trio.open_nursery() as processes:
        run_bot = partial(trio.run_process, command, stdin=PIPE, stdout=PIPE)
        bots = [Bot(await processes.start(run_bot)) for _ in range(2 * games)]
        for bot in bots:
            await bot.ask(HELLO)

        cpu, wall = cpu_seconds(), time.perf_counter()
        async with trio.open_nursery() as matches:
            for i in range(games):
                matches.start_soon(play, bots[2 * i : 2 * i + 2], questions, traffic)
        cpu, wall = cpu_seconds() - cpu, time.perf_counter() - wall

        for bot in bots:
            await bot.stdin.send_all(QUIT)
            await bot.stdin.aclose()
    total = games * questions
    per_question = {"cpu_us": cpu * 1e6 / total, "wall_us": wall * 1e6 / total}
    result = {"questions": total} | {f"{k}_per_question": round(v, 2) for k, v in per_question.items()}
    sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 5:
        sys.exit(f"usage: {sys.argv[0]} GAMES QUESTIONS TRAFFIC_FILE BOT_COMMAND...")
    lines = Path(sys.argv[3]).read_bytes().splitlines(keepends=True)
    trio.run(main, int(sys.argv[1]), int(sys.argv[2]), lines, sys.argv[4:])
