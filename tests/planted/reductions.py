"""Faults in what makes systems smaller: constants, slicing, dead values, symmetry."""

from __future__ import annotations

from tests.planted.fault import Fault

_DEAD = "tests/test_little_is_dead.py tests/test_dead_values.py"
_SYMMETRY = "tests/test_exchanges.py tests/test_dead_values.py tests/test_reductions.py"
_DEAD_VALUES, _PROOF = "checker/reductions/dead_values.py", "checker/reductions/symmetry.py"

FAULTS = (
    Fault(
        "what changes only because something else does is a constant",
        "checker/reductions/constants.py",
        "    while changing := set(_changed(system, values)):\n",
        "    if changing := set(_changed(system, values)):\n",
        _DEAD,
    ),
    Fault(
        "what a bound reads is left out",
        "checker/reductions/slicing.py",
        "pending += [t.enabled, *t.lines.values(), *t.bounds.values(), *t.faults.values()]",
        "pending += [t.enabled, *t.lines.values(), *t.faults.values()]",
        _DEAD,
    ),
    Fault(
        "what has no least value is reset",
        _DEAD_VALUES,
        "if not live & bit and path not in self._never}",
        "if not live & bit}",
        _DEAD,
    ),
    Fault(
        "what a `sometimes` reads is dead",
        _DEAD_VALUES,
        "self._claims = [p.state for p in properties if p.state is not None]",
        'self._claims = [p.state for p in properties if p.state is not None and p.property.kind != "sometimes"]',
        _DEAD,
    ),
    Fault(
        "what stays as it was where the flag is cleared is dead",
        _DEAD_VALUES,
        "                live |= self._all & ~reduce(or_, (update.written for update in cleared), 0)\n",
        "",
        _DEAD,
    ),
    Fault(
        "what is dead is reset by the step that clears the flag",
        _DEAD_VALUES,
        "graph.or_(*(after[flag] for flag in over))",
        "graph.or_(*(now[flag] for flag in over))",
        _DEAD,
    ),
    Fault(
        "values are reset though their images have another least one",
        _DEAD_VALUES,
        "in there and r.value(p, least[p]) == least[p]}",
        "in there}",
        _DEAD,
    ),
    Fault("flags are reset, too", _DEAD_VALUES, "(left := paths - dead.keys())", "(left := paths)", _DEAD),
    Fault(
        "what is read by what is read by an update is dead",
        _DEAD_VALUES,
        "    while needed := [update for update in rest if update.written & live]:\n",
        "    if needed := [update for update in rest if update.written & live]:\n",
        _DEAD,
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
        'join = graph.or_ if p.property.kind == "sometimes" else graph.and_',
        "join = graph.and_",
        _SYMMETRY,
    ),
    Fault(
        "what Z3 gives up on is equal",
        "checker/solver/equivalence.py",
        "return bool(solver.check() == z3.unsat)",
        "return bool(solver.check() != z3.sat)",
        _SYMMETRY,
    ),
    Fault(
        "the first name is never renamed as a value",
        "checker/reductions/renaming.py",
        "return renamed[value] if 0 <= value < len(renamed) else value",
        "return renamed[value] if 0 < value < len(renamed) else value",
        _SYMMETRY,
    ),
)
