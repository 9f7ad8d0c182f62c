import json
import random
import sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "random"}), flush=True)
    elif message["type"] == "start":
        rng = random.Random(message["bot_seed"])
    elif message["type"] == "act":
        index = rng.randrange(len(message["legal"]))
        print(json.dumps({"type": "action", "id": message["id"], "index": index}), flush=True)
    elif message["type"] == "quit":
        break
