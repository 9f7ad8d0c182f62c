"""Runs the bot on the lines in sample.jsonl, which have every kind of decision: `python3 -m unittest`."""

import io
import json
import unittest
from pathlib import Path

import bot
from wire import talk

LINES = Path(__file__).with_name("sample.jsonl").read_bytes().splitlines(keepends=True)


class SampleLines(unittest.TestCase):
    """One answer to hello and to every act, and to nothing else."""

    def test_every_question_gets_a_legal_answer(self) -> None:
        output = io.BytesIO()
        talk(bot.NAME, bot.GAMES, LINES, output)
        ready, *answers = [json.loads(line) for line in output.getvalue().splitlines()]
        acts = [message for message in map(json.loads, LINES) if message["type"] == "act"]
        self.assertEqual(ready, {"type": "ready", "protocol": 1, "name": bot.NAME})
        self.assertEqual([answer["id"] for answer in answers], [act["id"] for act in acts])
        for act, answer in zip(acts, answers, strict=True):
            with self.subTest(id=act["id"], decision=act["decision"]):
                self.assertIn(answer["index"], range(len(act["legal"])))


if __name__ == "__main__":
    unittest.main()
