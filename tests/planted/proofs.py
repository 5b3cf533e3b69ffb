"""Faults in proofs: certificates, obligations, the transition relation, bounded runs, the search for lemmas."""

from __future__ import annotations

from tests.planted.fault import Fault

_TESTS = "tests/test_certificates.py tests/test_prove.py tests/test_smt_agreement.py"
_CERTIFICATE, _RELATION = "checker/engines/prove/certificate.py", "checker/solver/relation.py"
_LEARNING, _TASKS = "checker/engines/prove/learning.py", "checker/engines/prove/tasks.py"

FAULTS = (
    Fault(
        "a step has to keep one part of the invariant",
        _CERTIFICATE,
        '"step": [*invariant, moves, z3.Not(z3.And(kept))]',
        '"step": [*invariant, moves, z3.Not(z3.Or(kept))]',
        _TESTS,
    ),
    Fault(
        "initial states have to fulfil one part of the invariant",
        _CERTIFICATE,
        '"init": [r.initial(), z3.Not(z3.And(invariant))]',
        '"init": [r.initial(), z3.Not(z3.Or(invariant))]',
        _TESTS,
    ),
    Fault(
        "the last move may break the invariant",
        _CERTIFICATE,
        "z3.substitute(r.after(m), *names)) for m in r.moves)",
        "z3.substitute(r.after(m), *names)) for m in r.moves[:-1])",
        _TESTS,
    ),
    Fault(
        "the last move may violate the claim",
        _CERTIFICATE,
        "any_of(violation(self.relation, self.claim, m) for m in self.relation.moves)",
        "any_of(violation(self.relation, self.claim, m) for m in self.relation.moves[:-1])",
        _TESTS,
    ),
    Fault(
        "what Z3 gives up on is proved",
        _CERTIFICATE,
        "if (answer := _ask(terms)) != z3.unsat:",
        "if (answer := _ask(terms)) == z3.sat:",
        _TESTS,
    ),
    Fault(
        "lemmas need not hold in the beginning to shorten the search",
        _CERTIFICATE,
        'for name in ("init", "step"))',
        'for name in ("step",))',
        _TESTS,
    ),
    Fault(
        "a step on which the model goes wrong cannot be taken, so it never does",
        _RELATION,
        "return z3.And(move.choices, move.fault)",
        "return z3.And(move.condition, move.fault)",
        _TESTS,
    ),
    Fault(
        "a step violates a claim about states where it begins",
        _RELATION,
        "z3.Not(after(relation, relation.holds(p), move))",
        "z3.Not(relation.holds(p))",
        _TESTS,
    ),
    Fault(
        "the least choice of a parameter is never made",
        _RELATION,
        "z3.Or([term == v for v in values])",
        "z3.Or([term == v for v in values[1:]])",
        _TESTS,
    ),
    Fault(
        "a variable never has its greatest value",
        _RELATION,
        "yield term <= constant(variable.high, term.sort())",
        "yield term < constant(variable.high, term.sort())",
        _TESTS,
    ),
    Fault(
        "a run begins in the first initial state",
        _RELATION,
        "for state in self.system.initial)",
        "for state in self.system.initial[:1])",
        _TESTS,
    ),
    Fault(
        "a free variable begins with its least number",
        _RELATION,
        "return term >= constant(least, term.sort())",
        "return term == constant(least, term.sort())",
        _TESTS,
    ),
    Fault(
        "a lemma needs nothing but itself",
        _LEARNING,
        "needs |= step",
        "needs = set(step)",
        _TESTS,
    ),
    Fault(
        "lemmas are used though they are no invariant",
        _TASKS,
        "return [lemma.term for lemma in lemmas] if certificate.is_inductive() else []",
        "return [lemma.term for lemma in lemmas]",
        _TESTS,
    ),
    Fault(
        "bit vectors have no room for the sign",
        "checker/solver/__init__.py",
        "z3.BitVecSort(1 + max(high, -1 - low).bit_length())",
        "z3.BitVecSort(max(1, max(high, -1 - low).bit_length()))",
        _TESTS,
    ),
)
