"""What the engines say of a kubelet with one method changed: CPython, the graph, and the compiled engine."""

from __future__ import annotations

import tempfile
from pathlib import Path

from tests.hunt.engines import compiled, explored, said

from podproof.checker.core.system import Limits, ModelError
from podproof.checker.engines.python import Python
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS
from podproof.model.kubelet import Kubelet
from podproof.model.scenarios import PodDescription, Scenario
from podproof.queries.build import properties_of, subject_of, system_of

WORLD = Scenario("rejection", Kubelet, (PodDescription("web", "web_default", removes=0),), rejections=1)
"""A pod that comes, is rejected later or runs, and stays."""


def compare(version: str, text: str, depth: int) -> str:
    """Where engines differ, so deep; empty where they agree, or the model is refused."""
    limits = Limits(max_depth=depth)
    with tempfile.TemporaryDirectory(prefix="hunt") as folder:
        path = Path(folder) / "mutant.py"
        path.write_text(text, encoding="utf-8")
        try:
            subject = subject_of(version, path)
            system, properties = system_of(subject, WORLD), properties_of(subject, WORLD)
            claims = lower_properties(system, properties)
        except ModelError:
            return ""
        expected = said(lambda: explored(Python().run(system, claims, limits=limits)))
        asked = {
            "compiled": lambda: compiled(system, claims, (), 1, limits=limits),
            "compiled, all reductions": lambda: compiled(system, claims, tuple(REDUCTIONS), 2, limits=limits),
        }
        if expected.kind == "error":
            return f"python says {expected.text}"
        found = {name: said(engine).contradicts(expected) for name, engine in asked.items()}
        return "; ".join(f"{name} says {what}" for name, what in found.items() if what)
