"""Values of a bot's environment variables are hidden in what the referee quotes, however they are spelt in JSON."""

import json

from referee.players.secrets import Secrets


def test_long_values_are_hidden_in_every_spelling_and_short_ones_are_not() -> None:
    hidden = Secrets(["12345678", "1234567", 'a "key" of é', "12345678-longer"])
    assert hidden.hide(b"12345678 1234567") == b"[hidden] 1234567"
    assert hidden.hide(b"<12345678-longer>") == b"<[hidden]>"
    for ascii_only in (True, False):
        line = json.dumps({"info": 'a "key" of é'}, ensure_ascii=ascii_only)
        assert hidden.hide_text(line) == '{"info": "[hidden]"}'
    assert hidden.hide_text('a "key" of é') == "[hidden]"
    assert Secrets(["short"]).hide_text("short") == "short"
