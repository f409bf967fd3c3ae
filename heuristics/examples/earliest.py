#!/usr/bin/env python3
"""Decides on requests: the earliest one is served, as ODDOML does (PPoPP'08, section 6.2)."""
import json
import sys


def say(message):
    print(json.dumps(message), flush=True)


def earliest(requests):
    known = [request for request in requests if request["date_s"] is not None]
    if not known:
        return None
    return min(known, key=lambda request: (request["date_s"], request["worker"]))["worker"]


sys.stdin.readline()  # the platform and the problem: of no interest here
say({"protocol": 1, "decides": "requests"})
for line in sys.stdin:
    say({"serve": earliest(json.loads(line)["requests"])})
