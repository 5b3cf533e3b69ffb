"""Everything outside the model language is refused with file, line, what was found and what to write instead.

The rules are a table, tests/golden/refusals.txt: each with a program that it refuses and one beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.command_line import run
from tests.hunt.engines import graph_search, loaded, lowered, oracle
from tests.hunt.mutated import compare

from podproof.checker.core.system import ModelError

GOLDEN = Path(__file__).parent / "golden" / "refusals.txt"
OPENING, *SECTIONS = re.split(r"^== (.*)\n", GOLDEN.read_text(encoding="utf-8"), flags=re.MULTILINE)
HEADS = {SECTIONS[0]: SECTIONS[1], SECTIONS[2]: SECTIONS[3]}
MODEL_FILE = " (model file)"
ASKED = """
Model = globals().get("Change", Model)
CLAIMS = [("claim", "always", claim, (), "")] if "claim" in globals() else []


def initial_states():
    try:
        return [make(Model, SIZES)]
    except (TypeError, KeyError, NameError):
        return []  # Not even Python can make one; the lowering says why.
"""


@dataclass(frozen=True)
class Rule:
    """A rule as the table has it."""

    name: str
    refused: str
    error: str
    accepted: str

    @property
    def head(self) -> str:
        return HEADS["head of a model file" if self.name.endswith(MODEL_FILE) else "head"]

    def program(self, snippet: str) -> str:
        snippet = re.sub(r"<(\d+) times (.*?)>", lambda found: int(found[1]) * found[2], snippet)
        return self.head + snippet + ("" if self.name.endswith(MODEL_FILE) else ASKED)

    def shown(self, error: str) -> str:
        """An error without its file and what it quotes, its lines counted from the snippet's first one."""
        text, before = self.program(self.refused).splitlines(), self.head.count("\n")
        found = re.fullmatch(r"(?:error: )?[^\n]*?\.py:(\d+): ([^\n]*)(?:\n    (.*))?\n?", error)
        if found is None and self in OF_FILES:
            return re.sub(r"^error: .*?\.py: ", "the file: ", error)
        assert found is not None, error
        assert found[3] in (None, text[int(found[1]) - 1].strip()), error
        what = re.sub(r"(?<=line )\d+|(?<=program\.py:)\d+", lambda number: str(int(number[0]) - before), found[2])
        return f"{int(found[1]) - before}: {what}\n"


RULES = [
    Rule(name, *re.split(r"^----(?: accepted)?\n", text, flags=re.MULTILINE))
    for name, text in zip(SECTIONS[4::2], SECTIONS[5::2], strict=True)
]
OF_LANGUAGE = [rule for rule in RULES if not rule.name.endswith(MODEL_FILE)]
OF_FILES = [rule for rule in RULES if rule.name.endswith(MODEL_FILE)]


def refusal(rule: Rule, folder: Path) -> str:
    """The error for a program; for a model file the one that the command line prints."""
    if rule in OF_FILES:
        path = folder / "program.py"
        path.write_text(rule.program(rule.refused), encoding="utf-8")
        result = run("check", "--model", str(path))
        assert result.exit_code == 2, result.output
        return rule.shown(result.stderr)
    with loaded(rule.program(rule.refused)) as module, pytest.raises(ModelError) as refused:
        lowered(module)
    return rule.shown(str(refused.value))


@pytest.mark.slow
def test_the_table_has_what_each_rule_says(golden: Callable[[str, str], None], tmp_path: Path) -> None:
    parts = [OPENING, *(f"== {name}\n{head}" for name, head in HEADS.items())]
    for rule in RULES:
        parts.append(f"== {rule.name}\n{rule.refused}----\n{refusal(rule, tmp_path)}---- accepted\n{rule.accepted}")
    golden("refusals.txt", "".join(parts))


@pytest.mark.parametrize("rule", OF_LANGUAGE, ids=lambda rule: rule.name)
def test_what_is_accepted_means_what_it_means_in_python(rule: Rule) -> None:
    text = rule.program(rule.accepted)
    with loaded(text) as module:
        expected = oracle(module)
    with loaded(text) as module:
        system, _, claims = lowered(module)
        found = graph_search(system, claims)
    assert expected.transitions != 0 and not found.contradicts(expected), found.contradicts(expected)


@pytest.mark.slow
@pytest.mark.parametrize("rule", OF_FILES, ids=lambda rule: rule.name)
def test_a_model_file_beside_a_refused_one_is_checked(rule: Rule, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(rule.program(rule.accepted), encoding="utf-8")
    result = run("check", "--model", str(path), "--scenario", "one-pod", "--max-depth", "2", "--property", "a_pod_runs")
    assert result.exit_code in (0, 1, 4) and "one-pod" in result.stdout, result.output
    assert not compare("v1.29", rule.program(rule.accepted), depth=3)
