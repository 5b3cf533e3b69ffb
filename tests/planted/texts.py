"""Faults in what is written of expressions, and in what a comparison sees of fields that only one version has."""

from __future__ import annotations

from tests.planted.fault import Fault

_PRINTER, _STEP, _TRANSITIONS = (
    "checker/core/printer.py",
    "checker/export/step.py",
    "checker/difference/transitions.py",
)
_PRINTED, _EXPORT = "tests/test_printer.py", "tests/test_export.py -k corners"
_DIFFERENCE = "tests/test_difference.py -k 'stores or bisimilar_when'"

FAULTS = (
    Fault(
        "what is taken off stands without parentheses",
        _PRINTER,
        "self.text(right, binding + (node.op is Op.SUB))",
        "self.text(right, binding)",
        _PRINTED,
    ),
    Fault(
        "a negated condition stands without parentheses",
        _PRINTER,
        "self.text(negated, ATOM)",
        "self.text(negated)",
        _PRINTED,
    ),
    Fault(
        "a turned comparison keeps its sign",
        _PRINTER,
        'right, left, (">", "<=")',
        "right, left, word",
        _PRINTED,
    ),
    Fault(
        "an export reads what it has just overwritten",
        _STEP,
        "            found |= _variables([unit.node], named) & written\n",
        "            pass\n",
        _EXPORT,
    ),
    Fault(
        "a conjunction has its rest where the condition is false",
        _STEP,
        "if (node.op is Op.AND) != is_negated else (decided, rest)",
        "if (node.op is Op.AND) == is_negated else (decided, rest)",
        _EXPORT,
    ),
    Fault(
        "a field that is stored is taken for one that never changes",
        _TRANSITIONS,
        " and path not in constant]",
        " and path in constant]",
        _DIFFERENCE,
    ),
    Fault(
        "a field that a guard reads is said not to matter",
        _TRANSITIONS,
        "tuple(dict.fromkeys(storing)), path in relevant)",
        "tuple(dict.fromkeys(storing)), False)",
        _DIFFERENCE,
    ),
)
