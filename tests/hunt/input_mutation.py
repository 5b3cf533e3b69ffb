"""Files as an enemy, a full disk or a hurried editor would leave them: seeded mutations of good ones.

`mutated(dice, content, mutations)` applies one to three of a kind's mutations.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

Mutation = Callable[[Random, bytes], bytes]
STRANGE = (
    *("\0", "\x1b[31m", "\r", "\n", "\u0085", "\u2028", "\u202e", "\u2066", "\ufeff", "\xa0", "²", "٣", "Ⅷ", "😀"),
    *("é", "::error::", "%0A", "<script>", "../", "#", '"', "\\", "$(id)", "{}", "[[", "a" * 5_000, " " * 5_000),
)
"""Texts that mean something to a terminal, a build service, a page, or a parser."""
VALUES = (
    *("null", "true", "false", "0", "-1", "1", "2", "1.0", "-0.0", "1.5", "1e3", "1e999", "-1e999", "1e-999"),
    *("NaN", "Infinity", "-Infinity", "9" * 4_301, "-" + "9" * 30, "0." + "3" * 400, "1" + "0" * 400 + ".0"),
    *(str(2**31), str(2**53), str(2**63 - 1), str(2**63), str(-(2**63)), str(-(2**63) - 1), "01", "+1", "0x10", ".5"),
    *('""', '"x"', '"web"', '"²"', '"-1"', '"backoff٣"', '"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u202e"'),
    *("[]", "{}", "[1]", "[[1]]", "[null]", '{"": 1}', '{"a": 1, "a": 2}', '{"uid": "web"}', "[" * 1_000 + "]" * 1_000),
    *("0x" + "f" * 5_000, "inf", "-nan", "1979-05-27T07:32:00Z", "{a = 1}", "[[" + "1," * 50 + "]]", "1_000"),
    *('{"a":' * 70 + "1" + "}" * 70, "[" * 64 + "]" * 64, "[" * 60 + "1" + "]" * 60, "[" + "0," * 2_000 + "0]"),
)
"""Values that stand in the place of others, as JSON has them or does not."""


def mutated(dice: Random, content: bytes, mutations: Sequence[Mutation]) -> bytes:
    """The content after a few of the mutations."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        content = dice.choice(mutations)(dice, content)
    return content


# -- bytes and lines ---------------------------------------------------------------------------------------------------


def flip(dice: Random, content: bytes) -> bytes:
    """Some bits are others."""
    changed = bytearray(content)
    for _ in range(dice.choice((1, 1, 2, 20)) if changed else 0):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def cut(dice: Random, content: bytes) -> bytes:
    """It ends early, or begins late."""
    at = dice.randrange(len(content) + 1)
    return content[:at] if dice.random() < 0.8 else content[at:]


def insert(dice: Random, content: bytes) -> bytes:
    """There is something in it that was not."""
    at = dice.randrange(len(content) + 1)
    more = dice.choice((dice.randbytes(4), dice.choice(STRANGE).encode(), dice.choice(VALUES).encode()))
    return content[:at] + more + content[at:]


def splice(dice: Random, content: bytes) -> bytes:
    """A part of it is missing, or is there again elsewhere."""
    first, end = sorted(dice.randrange(len(content) + 1) for _ in range(2))
    if dice.random() < 0.5:
        return content[:first] + content[end:]
    at = dice.randrange(len(content) + 1)
    return content[:at] + content[first:end] + content[at:]


def reorder(dice: Random, content: bytes) -> bytes:
    """A line is missing, stands twice or elsewhere, or ends otherwise."""
    lines = content.splitlines(keepends=True)
    if not lines:
        return content
    at = dice.randrange(len(lines))
    match dice.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines[at:at] = [lines[at]] * dice.choice((1, 1, 50))
        case 2:
            lines.insert(dice.randrange(len(lines)), lines.pop(at))
        case 3:
            lines[at] = lines[at].rstrip() + dice.choice((b"\r\n", b"\r", b"", b"\0\n", b" \t\n", b"\xff\n"))
        case _:
            lines[at] = dice.choice((b"\n", b" " * 10_000 + b"\n", b"#" * 10_000 + b"\n", b"(" * 5_000 + b"\n"))
    return b"".join(lines)


def rewrite(dice: Random, content: bytes) -> bytes:
    """A word or a number is another one."""
    words = list(re.finditer(rb"\w+", content))
    if not words:
        return content
    old, new = dice.choice(words), dice.choice(words)[0]
    if dice.random() < 0.6:
        new = dice.choice((dice.choice(STRANGE), dice.choice(VALUES))).encode()
    return content[: old.start()] + new + content[old.end() :]


TEXT: Sequence[Mutation] = (flip, cut, insert, splice, reorder, rewrite, rewrite)


# -- JSON --------------------------------------------------------------------------------------------------------------


class Raw(str):
    """Stands in a document for what the JSON library would not write."""


def change(dice: Random, content: bytes) -> bytes:
    """A value of a document is another, is missing or stands twice."""
    try:
        document = [json.loads(content)]
    except (ValueError, RecursionError):  # An earlier mutation has made it no JSON.
        return flip(dice, content)
    for _ in range(dice.choice((1, 1, 1, 1, 2))):
        places = list(_places(document))
        owner, key = dice.choice(places)
        match dice.randrange(12):
            case 0 | 1 if isinstance(owner, dict):
                del owner[key]
            case 2 if isinstance(owner, dict):
                owner[dice.choice((*STRANGE[:20], *owner))] = owner.pop(key)
            case 3 if isinstance(owner[key], list):
                owner[key] = owner[key] * dice.choice((0, 2, 2, 20))
            case 4 | 5 if type(owner[key]) is int:
                owner[key] += dice.choice((-1, -1, 1, 1, 2**62, 2**63))
            case 6 if isinstance(owner[key], str):
                owner[key] += dice.choice(STRANGE)
            case 7:
                other, its = dice.choice(places)
                owner[key] = copy.deepcopy(other[its])
            case 8 | 9 | 10:
                # What stands there in another step, say: it has the right type.
                kind = type(owner[key])
                others = [o[k] for o, k in places if k == key or type(o[k]) is kind]
                owner[key] = copy.deepcopy(dice.choice(others))
            case _:
                owner[key] = Raw(dice.choice(VALUES))
    return _written(dice, document[0]).encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a document, with what it is in."""
    pending = [value]
    while pending:
        owner = pending.pop()
        for key in list(owner) if isinstance(owner, dict) else range(len(owner)):
            yield owner, key
            if isinstance(owner[key], dict | list):
                pending.append(owner[key])


def _written(dice: Random, document: Any) -> str:
    """As JSON, with raw values as they are, and now and then a key twice."""
    raws: list[str] = []

    def marked(value: Any) -> Any:
        if isinstance(value, Raw):
            raws.append(value)
            return f"RAW{len(raws) - 1}WAR"
        if isinstance(value, dict):
            return {key: marked(inner) for key, inner in value.items()}
        return [marked(inner) for inner in value] if isinstance(value, list) else value

    text = json.dumps(marked(document), ensure_ascii=dice.random() < 0.5, separators=(",", ":"))
    text = re.sub(r'"RAW(\d+)WAR"', lambda found: raws[int(found[1])], text)
    if dice.random() < 0.05:
        value = dice.choice(VALUES)
        text = re.sub(r'"\w+":', lambda found: f"{found[0]}{value},{found[0]}", text, count=1)
    return text


def change_line(dice: Random, content: bytes) -> bytes:
    """As `change`, in one line of several documents."""
    lines = content.splitlines(keepends=True)
    if lines:
        at = dice.randrange(len(lines))
        lines[at] = change(dice, lines[at]) + b"\n"
    return b"".join(lines)


def change_events(dice: Random, content: bytes) -> bytes:
    """Other events in the steps of a trace, all of the right form: of other pods, in another order, settled or not."""
    trace = json.loads(content.splitlines()[0])
    for _ in range(dice.choice((1, 2, 4, 8))):
        steps = trace["steps"]
        at, other = dice.randrange(len(steps)), dice.choice(steps)
        match dice.randrange(6):
            case 0:
                steps[at]["settled"] = not steps[at].get("settled")
            case 1:
                steps.insert(at, copy.deepcopy(other))
            case 2 if len(steps) > 1:
                del steps[at]
            case 3:
                steps[at]["op"]["uid"] = other["op"].get("uid", "web")
            case 4:
                steps[at]["op"] = copy.deepcopy(other["op"])
            case _:
                key = dice.choice(list(other["op"]))
                if key in steps[at]["op"]:
                    steps[at]["op"][key] = copy.deepcopy(other["op"][key])
    for number, step in enumerate(trace["steps"], 1):
        step["i"] = number
    return json.dumps(trace).encode()


JSON: Sequence[Mutation] = (*TEXT, *(change,) * 28)
JSON_LINES: Sequence[Mutation] = (*TEXT, *(change_line,) * 28)


# -- gzip --------------------------------------------------------------------------------------------------------------


def pack(dice: Random, content: bytes) -> bytes:
    """Packed, and then perhaps damaged, cut short, in two parts, or with something behind it."""
    packed = gzip.compress(content, mtime=0)
    match dice.randrange(6):
        case 0:
            return flip(dice, packed)
        case 1:
            return cut(dice, packed)
        case 2:
            return packed + dice.choice((b"\0" * 50, b"garbage", packed[:20], packed, gzip.compress(b"\n", mtime=0)))
        case 3:
            return content
        case 4:
            return insert(dice, packed)
        case _:
            return packed
