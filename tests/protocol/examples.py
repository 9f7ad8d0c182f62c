"""For every type a message with all its fields and one with only the required ones, beside their lines."""

from msgspec import Raw

from protocol.messages import (
    Act,
    ActParts,
    Answer,
    Clock,
    End,
    FaultMessage,
    Hello,
    HelloLimits,
    Message,
    Quit,
    Ready,
    Result,
    Start,
)
from protocol.record import ChanceLine, DecisionLine, FaultLine, GameLine, Line, PlayerInfo, ResultLine

LIMITS = HelloLimits(line_bytes=100, info_bytes=10, startup_ms=10000, margin_ms=50, quit_ms=1000)
RESULT = Result(scores=[97, 103], ranks=[2, 1], faults=[None, "timeout"])

TO_BOT: list[tuple[Message, str]] = [
    (
        Hello(protocol=1, referee="0.1.0", limits=LIMITS),
        '{"type":"hello","protocol":1,"referee":"0.1.0","limits":'
        '{"line_bytes":100,"info_bytes":10,"startup_ms":10000,"margin_ms":50,"quit_ms":1000}}',
    ),
    (
        Hello(
            protocol=1,
            referee="0.1.0",
            limits=HelloLimits(line_bytes=1, info_bytes=2, startup_ms=3, margin_ms=4, quit_ms=5, memory_mb=6),
        ),
        '{"type":"hello","protocol":1,"referee":"0.1.0","limits":'
        '{"line_bytes":1,"info_bytes":2,"startup_ms":3,"margin_ms":4,"quit_ms":5,"memory_mb":6}}',
    ),
    (
        Start(
            game_id="0001-2",
            game="tic",
            config={"players": 2},
            seat=1,
            players=["a", "b"],
            clock=Clock(move_ms=1000, bank_ms=60000, increment_ms=100),
            bot_seed=2**53 - 1,
        ),
        '{"type":"start","game_id":"0001-2","game":"tic","config":{"players":2},"seat":1,"players":["a","b"],'
        '"clock":{"move_ms":1000,"bank_ms":60000,"increment_ms":100},"bot_seed":9007199254740991}',
    ),
    (
        Start(game_id="", game="tic", config={}, seat=0, players=[], clock=Clock(), bot_seed=0),
        '{"type":"start","game_id":"","game":"tic","config":{},"seat":0,"players":[],"clock":{},"bot_seed":0}',
    ),
    (
        Act(
            id=17,
            decision="draw",
            observation={"round": 1},
            legal=[{"card": 1}],
            events=[{"type": "deal"}],
            time_ms=1000,
        ),
        '{"type":"act","id":17,"decision":"draw","observation":{"round":1},"legal":[{"card":1}],'
        '"events":[{"type":"deal"}],"time_ms":1000}',
    ),
    (Act(id=1, decision="draw", time_ms=0), '{"type":"act","id":1,"decision":"draw","time_ms":0}'),
    (
        Act(id=2, decision="draw", tensor={"observation": [0.5]}, time_ms=0),
        '{"type":"act","id":2,"decision":"draw","tensor":{"observation":[0.5]},"time_ms":0}',
    ),
    (
        FaultMessage(code="illegal_action", message="not „là“"),
        '{"type":"fault","code":"illegal_action","message":"not „là“"}',
    ),
    (
        End(game_id="0001-2", result=RESULT, events=[]),
        '{"type":"end","game_id":"0001-2",'
        '"result":{"scores":[97,103],"ranks":[2,1],"faults":[null,"timeout"]},"events":[]}',
    ),
    (
        End(game_id="0001-2", result=Result(scores=[], ranks=[], faults=[])),
        '{"type":"end","game_id":"0001-2","result":{"scores":[],"ranks":[],"faults":[]}}',
    ),
    (Quit(), '{"type":"quit"}'),
]

FROM_BOT: list[tuple[Message, str]] = [
    (
        Ready(protocol=1, name="x", version="2", author="A", options=ActParts(observation=False)),
        '{"type":"ready","protocol":1,"name":"x","version":"2","author":"A",'
        '"options":{"observation":false,"legal":true,"events":true,"tensor":false}}',
    ),
    (Ready(protocol=1, name="x"), '{"type":"ready","protocol":1,"name":"x"}'),
    (
        Answer(id=17, index=3, action=Raw(b'{"palace": 0}'), info=Raw(b"[1]")),
        '{"type":"action","id":17,"index":3,"action":{"palace": 0},"info":[1]}',
    ),
    (Answer(id=17), '{"type":"action","id":17}'),
]

RECORD: list[tuple[Line, str]] = [
    (
        GameLine(
            record=1,
            game="tic",
            config={"players": 1},
            seed="s",
            players=[PlayerInfo(name="a", bot="b", version="1", author="A"), PlayerInfo(name="c")],
            referee="0.1.0",
            game_id="0001-2",
            clock=Clock(move_ms=1000),
            enforced=False,
            public_id="dfc73ab3651f888e",
            bot_seeds=[1, 2],
            shown_names=["seat 0", "seat 1"],
        ),
        '{"type":"game","record":1,"game":"tic","config":{"players":1},"seed":"s",'
        '"players":[{"name":"a","bot":"b","version":"1","author":"A"},{"name":"c"}],"referee":"0.1.0",'
        '"game_id":"0001-2","clock":{"move_ms":1000},"enforced":false,"public_id":"dfc73ab3651f888e",'
        '"bot_seeds":[1,2],"shown_names":["seat 0","seat 1"]}',
    ),
    (
        GameLine(record=1, game="tic", config={}, seed="s", players=[], referee="0.1.0"),
        '{"type":"game","record":1,"game":"tic","config":{},"seed":"s","players":[],"referee":"0.1.0"}',
    ),
    (ChanceLine(what="deck", round=2, value=[1, 2]), '{"type":"chance","what":"deck","round":2,"value":[1,2]}'),
    (ChanceLine(what="deck", value=None), '{"type":"chance","what":"deck","value":null}'),
    (
        DecisionLine(
            seat=0, decision="draw", action={"card": 1}, forced=True, substitute=True, ms=1.7, info=Raw(b'{"n":1}')
        ),
        '{"type":"decision","seat":0,"decision":"draw","action":{"card":1},"forced":true,"substitute":true,'
        '"ms":1.7,"info":{"n":1}}',
    ),
    (
        DecisionLine(seat=0, decision="draw", action={}),
        '{"type":"decision","seat":0,"decision":"draw","action":{}}',
    ),
    (
        FaultLine(seat=1, code="timeout", message="too late", retry=True),
        '{"type":"fault","seat":1,"code":"timeout","message":"too late","retry":true}',
    ),
    (
        FaultLine(seat=1, code="crash", message=""),
        '{"type":"fault","seat":1,"code":"crash","message":""}',
    ),
    (
        ResultLine(scores=[97, 103], ranks=[2, 1], faults=[None, "timeout"], stopped="why"),
        '{"type":"result","scores":[97,103],"ranks":[2,1],"faults":[null,"timeout"],"stopped":"why"}',
    ),
    (
        ResultLine(scores=[1], ranks=[1], faults=[None]),
        '{"type":"result","scores":[1],"ranks":[1],"faults":[null]}',
    ),
]
