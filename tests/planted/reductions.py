"""Faults in what makes systems smaller: constants, slicing, symmetry."""

from __future__ import annotations

from tests.planted.fault import Fault

_SYMMETRY = "tests/test_exchanges.py tests/test_reductions.py"
_LEFT_OUT = "tests/test_reductions.py -k 'constant or matters'"
_SLICING, _PROOF = "checker/reductions/slicing.py", "checker/reductions/symmetry.py"

FAULTS = (
    Fault(
        "what changes only because something else does is a constant",
        "checker/reductions/slicing.py",
        "    while changing := set(_changes(system, values)):\n",
        "    if changing := set(_changes(system, values)):\n",
        _LEFT_OUT,
    ),
    Fault(
        "what a bound reads is left out",
        _SLICING,
        "pending += [t.enabled, *t.lines.values(), *t.bounds.values(), *t.faults.values()]",
        "pending += [t.enabled, *t.lines.values(), *t.faults.values()]",
        _LEFT_OUT,
    ),
    Fault(
        "what begins with any number is a constant",
        "checker/reductions/slicing.py",
        "if len(starts) == 1 and variable.path not in system.free:",
        "if len(starts) == 1:",
        "tests/test_prove.py -k constant",
    ),
    Fault(
        "what a guard reads is left out",
        _SLICING,
        "[t.enabled, *t.lines.values(), ",
        "[*t.lines.values(), ",
        _LEFT_OUT,
    ),
    Fault("what a fault of the model reads is left out", _SLICING, ", *t.faults.values()]", "]", _LEFT_OUT),
    Fault(
        "what a claim about steps reads is left out",
        _SLICING,
        "if p.state is not None else list(p.steps or ())",
        "if p.state is not None else []",
        _LEFT_OUT,
    ),
    Fault(
        "what an update reads is left out",
        _SLICING,
        "                pending += updates[str(node.value)]\n",
        "",
        _LEFT_OUT,
    ),
    Fault(
        "a trace of another pod is shown for a claim",
        "checker/reductions/plan.py",
        "if verdict.trace is None or is_shown(self.original, asked, verdict.trace):",
        "if verdict.trace is None or verdict.trace:",
        _SYMMETRY,
    ),
    Fault(
        "of several exchanges only each by itself is known",
        "checker/reductions/symmetry.py",
        "    for names in found:\n        found += [",
        "    for names in found[:1]:\n        found += [",
        _SYMMETRY,
    ),
    Fault(
        "pods that go wrong differently are interchangeable",
        _PROOF,
        "yield from self.where(t.enabled, [(wrong, self.from_image(self.graph.or_(*image.faults.values())))])",
        "yield from ()",
        _SYMMETRY,
    ),
    Fault(
        "pods that meet bounds differently are interchangeable",
        _PROOF,
        "for mine, other in ((t.bounds, image.bounds), (t.lines, image.lines)):",
        "for mine, other in ((t.lines, image.lines),):",
        _SYMMETRY,
    ),
    Fault(
        "what only one of two transitions writes is not compared",
        _PROOF,
        "if path not in t.updates and there not in image.updates:",
        "if path not in t.updates or there not in image.updates:",
        _SYMMETRY,
    ),
    Fault(
        "a `sometimes` about one pod is put for all of them",
        _PROOF,
        "join = graph.or_ if p.property.is_witnessed else graph.and_",
        "join = graph.and_",
        _SYMMETRY,
    ),
    Fault(
        "what Z3 gives up on is equal",
        "checker/solver/__init__.py",
        "return bool(solver.check() == z3.unsat)",
        "return bool(solver.check() != z3.sat)",
        _SYMMETRY,
    ),
    Fault(
        "the first name is never renamed as a value",
        "checker/reductions/symmetry.py",
        "return renamed[value] if 0 <= value < len(renamed) else value",
        "return renamed[value] if 0 < value < len(renamed) else value",
        _SYMMETRY,
    ),
)
