"""Everything outside the model language is refused with file, line, what was found and what to write instead."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from tests.two_phase_commit import no_lines

from podproof.checker.claims import lower_properties
from podproof.checker.lowering import Description, lower_system
from podproof.checker.shapes import Scope, Values
from podproof.checker.system import ModelError, Property
from podproof.model.language import make

HERE = Path(__file__).parent
FILES = {path.stem: path for path in sorted((HERE / "refused").glob("*.py")) if path.stem != "conftest"}
GOLDEN = HERE / "golden" / "refusals.txt"
SCOPE = Scope({"pods": 2}, {"counts": Values((0, 1, 2)), "seconds": Values(tuple(range(31)))})


def refusal(name: str) -> str:
    """The error for one of the files in tests/refused."""
    spec = importlib.util.spec_from_file_location(f"refused_{name}", FILES[name])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # annotations are looked up in there
    try:
        spec.loader.exec_module(module)
        with pytest.raises(ModelError) as refused:
            load(module)
    finally:
        del sys.modules[spec.name]
    return str(refused.value)


def load(module: ModuleType) -> None:
    """What `podproof check --model` does with a file, claim included."""
    try:
        initial = [make(module.Model, SCOPE.sizes)]
    except (TypeError, KeyError, NameError):
        initial = []  # not even Python can make one; the lowering says why
    system = lower_system(Description(module.Model, "test", "test", "refused", "", SCOPE, initial, no_lines))
    if hasattr(module, "claim"):
        lower_properties(system, [Property("claim", "always", "", module.claim)])


def test_the_golden_file_has_every_refusal(golden: Callable[[str, str], None]) -> None:
    """Rewritten with --rewrite-golden; read the difference before you commit it."""
    golden("refusals.txt", "\n".join(f"{name}\n----\n{refusal(name)}\n" for name in FILES))


@pytest.mark.parametrize("name", FILES)
def test_what_is_outside_the_language_is_refused_with_advice(name: str) -> None:
    agreed = dict(block.split("\n----\n") for block in GOLDEN.read_text().split("\n\n"))
    assert refusal(name) == agreed[name].rstrip("\n")


@pytest.mark.parametrize("name", FILES)
def test_a_refusal_names_a_line_of_the_file_and_quotes_it(name: str) -> None:
    first, _, quoted = refusal(name).partition("\n    ")
    file, number, _ = first.split(":", 2)
    assert file == f"tests/refused/{name}.py"
    assert quoted == FILES[name].read_text().splitlines()[int(number) - 1].strip()
