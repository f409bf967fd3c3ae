#!/usr/bin/env python3
"""An external heuristic that serves the earliest request, as ODDOML does (PPoPP'08, section 6.2)."""
import json
import sys
from typing import Any


def send(message: "dict[str, Any]") -> None:
    print(json.dumps(message), flush=True)


def earliest(requests: "list[dict[str, Any]]") -> Any:
    dated = [request for request in requests if request["date_s"] is not None]
    if not dated:
        return None
    first = min(request["date_s"] for request in dated)
    # The engines round dates differently: equal within 1e-9 are equal.
    return min(request["worker"] for request in dated if request["date_s"] <= first + 1e-9 * abs(first))


sys.stdin.readline()  # the platform and the problem, which this heuristic does not need
send({"protocol": 1, "decides": "requests"})
for line in sys.stdin:
    send({"serve": earliest(json.loads(line)["requests"])})
