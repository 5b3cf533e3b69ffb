"""Faults in the compiled engine: packing, generated code, the loop, evidence, projection."""

from __future__ import annotations

from tests.planted.fault import Fault

_WIDTHS = "tests/test_widths.py tests/test_compiled_engine.py"
_CASES = "tests/test_compiled_engine.py"
_ENGINE = (
    "tests/test_compiled_edges.py tests/test_compiled_engine.py tests/test_state_table.py tests/hunt/test_found.py"
)
_SYMMETRY = "tests/test_exchanges.py tests/test_reductions.py"
_BODY, _TRANSITION = "checker/engines/compiled/transition.py", "checker/engines/compiled/transition.py"
_SPLIT, _CANONICAL = "checker/core/graph.py", "checker/engines/compiled/codegen.py"
_LOOPS, _SEARCH = "checker/engines/compiled/loops.c", "checker/engines/compiled/search.py"
_STATISTICS = "checker/engines/compiled/batch.py"

FAULTS = (
    Fault("numbers are compared as if none were negative", _BODY, "icmp slt {sort}", "icmp ult {sort}", _WIDTHS),
    Fault(
        "2^63 fits 64 bits",
        _BODY,
        "low and high < 1 << bits - 1), None)",
        "low and high <= 1 << bits - 1), None)",
        _WIDTHS,
    ),
    Fault("a widened number loses its sign", _BODY, "{'sext' if own", "{'zext' if own", _WIDTHS),
    Fault(
        "a comparison is made in the narrower type",
        _BODY,
        "sort = max(sorts, key=len) if node.is_bool",
        "sort = min(sorts, key=len) if node.is_bool",
        _WIDTHS,
    ),
    Fault(
        "the shared violations of the first 63 claims stand for those of all",
        _BODY,
        'more[start // WORD_BITS] if more else "0"',
        'more[0] if more else "0"',
        _ENGINE,
    ),
    Fault(
        "the parts of an `or` that holds are taken to hold",
        "checker/core/graph.py",
        "elif node.op is (Op.AND if wanted else Op.OR):",
        "elif node.op in (Op.AND, Op.OR):",
        _CASES,
    ),
    Fault(
        "a number that is unequal to another is taken for it",
        "checker/core/graph.py",
        "if node.op is Op.EQ and value and node.args[1].is_const:",
        "if node.op is Op.EQ and node.args[1].is_const:",
        _CASES,
    ),
    Fault(
        "a part of a condition is simplified by itself",
        _SPLIT,
        "[*parts[:i], *parts[i + 1 :]]",
        "[*parts[:i], *parts[i:]]",
        _CASES,
    ),
    Fault(
        "a renamed value is compared as if the least one were 0",
        _CANONICAL,
        "icmp eq i64 {value}, {old - low}",
        "icmp eq i64 {value}, {old}",
        _SYMMETRY,
    ),
    Fault(
        "an orbit is counted without the state itself",
        _CANONICAL,
        "udiv i64 {len(layout.renamings) + 1}",
        "udiv i64 {len(layout.renamings)}",
        _SYMMETRY,
    ),
    Fault(
        "of several parameters of one name the last has its values",
        "checker/engines/compiled/codegen.py",
        "values.setdefault(p.name, set()).update(p.values)",
        "values[p.name] = set(p.values)",
        _ENGINE,
    ),
    Fault(
        "the digits of a choice are read in the wrong order",
        _TRANSITION,
        "for parameter in reversed(transition.free):",
        "for parameter in transition.free:",
        _ENGINE,
    ),
    Fault(
        "values in another order are taken for an interval",
        _TRANSITION,
        "if values == tuple(range(values[0], values[0] + len(values))):",
        "if max(values) - min(values) == len(values) - 1:",
        _ENGINE,
    ),
    Fault(
        "a step that two bounds cut off is counted twice",
        _TRANSITION,
        'uncounted = self.let(f"xor i1 {first}, {uncounted}")',
        'uncounted = self.let(f"or i1 {first}, {uncounted}")',
        _ENGINE,
    ),
    Fault(
        "a least value below 0 is not taken off",
        _TRANSITION,
        "if low and not node.is_bool:",
        "if low > 0 and not node.is_bool:",
        _ENGINE,
    ),
    Fault(
        "every digit of a choice has as many values as the first",
        _TRANSITION,
        'choice = self.let(f"mul i64 {choice}, {len(parameter.values)}")',
        'choice = self.let(f"mul i64 {choice}, {len(self.loops[0].values)}")',
        _ENGINE,
    ),
    Fault(
        "a field may take the sign bit",
        "checker/engines/compiled/layout.py",
        "if left >= bits), len(room))",
        "if left + 1 >= bits), len(room))",
        _ENGINE,
    ),
    Fault(
        "the last state of a batch that decides a claim is noted",
        _LOOPS,
        "b->seen[word * WORD_BITS + bit] < 0)",
        "b->seen[word * WORD_BITS + bit] < index)",
        _ENGINE,
    ),
    Fault(
        "the last step of a batch that goes wrong is reported",
        _LOOPS,
        "if (tag < 0 && fault < 0)",
        "if (tag < 0)",
        _ENGINE,
    ),
    Fault(
        "only the last row of a batch says which claims it violates",
        _LOOPS,
        "violated[i] |= row",
        "violated[i] = row",
        _ENGINE,
    ),
    Fault(
        "narrow levels are stored although the model goes wrong there",
        _LOOPS,
        "if (b->sound < ready || end + ready > room",
        "if (end + ready > room",
        _ENGINE,
    ),
    Fault(
        "narrow levels are stored although they violate a claim",
        _LOOPS,
        "any_of(b->violated, total->pending, b->step_words)",
        "any_of(b->violated, total->pending, 0)",
        _ENGINE,
    ),
    Fault(
        "the first state of a part is noted where the search began",
        "checker/engines/compiled/batch.py",
        "self.seen[self.seen >= 0] += first",
        "self.seen[self.seen > 0] += first",
        "tests/test_long_runs.py",
    ),
    Fault(
        "a projected step has to change every variable",
        "checker/engines/compiled/search.py",
        "(targets != projected[parents]).any(axis=1)",
        "(targets != projected[parents]).all(axis=1)",
        "tests/test_diagrams.py",
    ),
    Fault(
        "a projected state has distances for values",
        "checker/engines/compiled/search.py",
        "tuple(int(v) + f.variable.low for v, f",
        "tuple(int(v) for v, f",
        "tests/test_diagrams.py",
    ),
    Fault(
        "a step of a renamed state is that of the stored one",
        "checker/engines/compiled/evidence.py",
        "found.transition if renaming is None else renaming.transitions[found.transition]",
        "found.transition",
        _SYMMETRY,
    ),
    Fault(
        "steps beyond a limit are judged",
        _STATISTICS,
        "judge(batch, steps,",
        "judge(batch, batch.ready,",
        _ENGINE,
    ),
    Fault(
        "a later state decides a claim that is decided",
        _STATISTICS,
        "if self.pending_states[word] & mask:",
        "if mask:",
        _ENGINE,
    ),
    Fault(
        "a search that was stopped has found everything",
        _STATISTICS,
        "found.get(i), not reason, reason)",
        "found.get(i), True, reason)",
        _ENGINE,
    ),
    Fault(
        "the first state that was not expanded is not judged",
        _SEARCH,
        "range(self.cursor, self.count, _CHUNK)",
        "range(self.cursor + 1, self.count, _CHUNK)",
        _ENGINE,
    ),
)
