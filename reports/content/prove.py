"""What `prove` found out: as a document like that of `check`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podproof.checker.core.proofs import Proofs, Recheck
from podproof.checker.core.system import Exploration, State, Status, System, Verdict
from podproof.reports.content.check import CheckReport, TextOptions
from podproof.reports.document import GAP, Bullets, Entry, Items, Paragraph, Part, Story, Table, Verbatim, indented
from podproof.reports.layout import Detail, number_of
from podproof.reports.summary import open_bounds


class ProofReport(CheckReport):
    """What is other than in a report of `check`: what the verdicts are about, and their evidence."""

    def __init__(
        self, proofs: Sequence[Proofs], wanted: TextOptions | None = None, detail: Detail = Detail.NORMAL
    ) -> None:
        super().__init__([p.exploration for p in proofs], wanted, detail)
        self.proofs = {id(p.exploration): p for p in proofs}

    def _extent(self, e: Exploration) -> str:
        proved = sum(v.status is Status.PROVED for v in e.verdicts)
        if self.proofs[id(e)].is_of_inputs:
            return f"{proved} of {number_of(len(e.verdicts), 'claim')} proved for every input"
        extent = "for every grace period" if e.system.is_unbounded or e.assumptions else "with its bounded numbers"
        events = f" and any number of {_endless(e.system)}" if e.system.endless else ""
        return f"{proved} of {number_of(len(e.verdicts), 'claim')} proved {extent}{events}"

    listed_apart = (Status.VIOLATED, Status.UNKNOWN)

    def _fits_a_table(self) -> bool:
        return not any(proofs.invariants or proofs.is_of_inputs for proofs in self.proofs.values())

    def _table_extent(self, e: Exploration) -> str:
        return self._extent(e) + ("" if e.complete else f"; NOT everything decided: {e.reason}")

    def _whole_extent(self) -> Iterator[Part]:
        yield indented([Table((), [(e.system.scenario, self._table_extent(e)) for e in self.explorations])])

    @staticmethod
    def _steps(v: Verdict) -> str:
        """A violation may be shown without its being known as a shortest one."""
        return v.reason.removeprefix("after ") if v.status is Status.VIOLATED else ""

    def _verdict(self, e: Exploration, v: Verdict) -> Iterator[Part]:
        """The verdict, and the counterexample to induction: state before, step, what the step changed."""
        yield from super()._verdict(e, v)
        if self.proofs[id(e)].is_of_inputs and v.trace is not None and self.detail is not Detail.QUIET:
            given = Items(_departures(e.system, e.system.initial[-1], v.trace.initial) or ["nothing"])
            yield indented([Verbatim(["what is given, but for what is zero:"]), indented([given])])
            yield GAP
        trace, system = self.proofs[id(e)].stuck.get(v.property.id), e.system
        if trace is None or self.detail is Detail.QUIET:
            return
        other = _departures(system, system.initial[0], trace.initial)
        head = Verbatim(["from a state, which may not be reachable, with"])
        yield indented([head, indented([Items(other)]), Story(system, trace)])
        yield GAP

    def _rest(self, e: Exploration) -> Iterator[Part]:
        p = self.proofs[id(e)]
        for name, conditions in p.invariants.items():
            yield Verbatim([f"invariant {name}: all variables are in their ranges, and"])
            yield indented([Bullets(conditions)])
        if self.wanted.stats or self.detail is Detail.FULL:
            yield Entry("stats", [Verbatim([f"{e.seconds:.2f} s"])])
        yield _trust(p)


def _endless(system: System) -> str:
    """The kinds of events that do not end, by the names of what counts them: `adds, removes and phase changes`."""
    paths = (v.path for v in system.variables if v.path in system.endless)
    kinds = dict.fromkeys(path.partition("[")[0].rpartition(".")[2].replace("_", " ") for path in paths)
    return " and ".join(", ".join(kinds).rsplit(", ", 1))


def _departures(system: System, plain: State, state: State) -> list[str]:
    """What is other in a state than in another one."""
    values = zip(system.variables, plain, state, strict=True)
    return [f"{variable.path} = {variable.show(b)}" for variable, a, b in values if a != b]


def _trust(p: Proofs) -> Part:
    """How far the verdicts can be trusted."""
    e = p.exploration
    if p.is_of_inputs:
        whole = "" if e.complete else f"NOT everything decided: {e.reason}; "
        text = (
            f"function {e.system.scenario} ({e.system.bounds}); {whole}each claim one question about every input, each "
            f"input that breaks one run as Python; {_recheck(p.recheck)}; engine {e.engine}"
        )
        return Entry("trust", [Paragraph(text)])
    where = f"environment {e.system.environment}, scenario {e.system.scenario} ({e.system.bounds})"
    if e.assumptions:
        whole = "all runs" if e.complete else f"NOT everything decided: {e.reason}"
        text = (
            f"{where}; its seconds are examples only: a proof is for every number, since each comparison of seconds "
            f"may come out either way; {whole} of {e.states:,} states; fairness assumed: {', '.join(e.assumptions)}; "
            f"each violation with the scenario's seconds, and replayed; reductions: {', '.join(e.reductions)}"
        )
        return Entry("trust", [Paragraph(text)])
    events = f"no more events than these, since {p.bounded_by}; " if p.bounded_by else ""
    cut = f"steps beyond a bound do not happen ({', '.join(bounds)}); " if (bounds := open_bounds(e)) else ""
    seconds = "its seconds are examples only: a proof is for every number; " if e.system.is_unbounded else ""
    whole = "" if e.complete else f"NOT everything decided: {e.reason}; "
    checked = "each invariant checked from scratch (initial states, every step, the claim), each trace replayed"
    reductions = ", ".join(e.reductions) or "none"
    text = (
        f"{where}; {events}{seconds}{cut}runs of any length; {whole}{checked}; {_recheck(p.recheck)}; "
        f"reductions: {reductions}; engine {e.engine}"
    )
    return Entry("trust", [Paragraph(text)])


def _recheck(r: Recheck) -> str:
    """How far a second solver agrees."""
    if r.obligations is None:
        return f"not re-checked, {f'--recheck has {r.solver} do it' if r.solver else 'no second solver is installed'}"
    agreed = (
        f"re-checked by {r.solver}: {r.obligations - len(r.unconfirmed)} of {number_of(r.obligations, 'obligation')}"
    )
    return agreed + "".join(f", {claim} {check}: {said}" for claim, check, said in r.unconfirmed)
