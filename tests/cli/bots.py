"""Folders with bots for the command line."""

from pathlib import Path
from typing import Final

BOT: Final = """
import json, random, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "a bot", "version": "1.0"}), flush=True)
    elif message["type"] == "start":
        rng = random.Random(message["bot_seed"])
    elif message["type"] == "act":
        answer = {"type": "action", "id": message["id"], "index": rng.randrange(len(message["legal"]))}
        print(json.dumps(answer), flush=True)
"""
"""Plays at random, reproducibly."""


QUICK_START: Final = 'command = "python3 -SE bot.py"\n'
"""Without site-packages, Python starts in half of the time."""


def make_bot(folder: Path, source: str = BOT, toml: str = f'name = "bot"\n{QUICK_START}') -> Path:
    """Make a folder with a bot.py and a bot.toml."""
    folder.mkdir()
    (folder / "bot.py").write_text(source)
    (folder / "bot.toml").write_text(toml)
    return folder
