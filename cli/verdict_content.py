"""What `check` and `prove` found out, as every format is rendered from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING

from podproof.cli.findings import ReportContext, command_line
from podproof.cli.outputs import Content
from podproof.queries.build import notes_of
from podproof.queries.checking import CheckAnswer, CheckQuery, review_command
from podproof.queries.claims import called
from podproof.reports.content.check import CheckReport, TextOptions
from podproof.reports.content.finding import Report
from podproof.reports.content.prove import ProofReport
from podproof.reports.content.subjects import (
    SubjectAnswer,
    subjects_answer,
    subjects_parts,
    subjects_report,
    together,
)
from podproof.reports.content.verdicts import GoFunctionAnswer, Verdicts, check_answer, proofs_answer
from podproof.reports.document import GAP, Entry, Heading, Look, Paragraph, Part, indented
from podproof.reports.judgement import Judgement
from podproof.reports.layout import Detail
from podproof.reports.render.json import answer_data

if TYPE_CHECKING:
    from podproof.queries.proving import ProofAnswer, ProofQuery  # It loads Z3, which a check does without.

_LOOKS: Mapping[str, Look] = {"EQUAL": "good", "DIFFERENT": "bad", "UNDECIDED": "open", "NOT READ": "open"}


@dataclass(frozen=True)
class Checked:
    """What was found out about each version and model: one by itself, or all of them beside each other."""

    found: Sequence[CheckAnswer]
    query: CheckQuery
    options: str
    """How the command line names what was checked."""
    stats: bool = False

    @cached_property
    def judgement(self) -> Judgement:
        return together(self._answers)

    @cached_property
    def contexts(self) -> Sequence[ReportContext]:
        """What a report of each says besides its verdicts."""
        return [_context("check", answer, self.query, self._notes) for answer in self.found]

    @property
    def content(self) -> Content:
        if len(self._answers) == 1:
            (answer,) = self._answers
            return Content(
                parts=lambda detail: chain(
                    self._functions(detail), CheckReport(answer.explorations, answer.wanted, detail).parts()
                ),
                data=lambda: answer_data(self._verdicts()[0]),
                report=lambda: self._reports()[0],
                go_tests=self.found[0].go_tests,
            )
        line = command_line("check", self.options, self.query.scenarios, self.query.properties)
        return Content(
            parts=lambda detail: chain(self._functions(detail), subjects_parts(self._answers, self.judgement, detail)),
            data=lambda: answer_data(subjects_answer(self._verdicts(), self.judgement)),
            report=lambda: subjects_report(self._reports(), line, self.judgement),
        )

    @cached_property
    def _notes(self) -> Mapping[str, str]:
        return notes_of(self.query.subjects)

    @cached_property
    def _answers(self) -> Sequence[SubjectAnswer]:
        is_alone, most = len(self.query.subjects) == 1, self.query.search.counterexamples
        return [
            SubjectAnswer(a.explorations, a.judgement, _details(a, self._notes, a.wanted, is_alone, self.stats, most))
            for a in self.found
        ]

    def _functions(self, detail: Detail) -> Iterator[Part]:
        """Of several Go files what was decided about each function; in brief only what is not EQUAL."""
        for answer in self.found:
            groups = [(file, *group) for file in answer.go_files for group in file.groups()]
            told = [(f, one, names) for f, one, names in groups if detail is not Detail.QUIET or one.is_unlike]
            if not told:
                continue
            yield Heading("Functions of the Go", f"   beside {told[0][0].release}")
            for file, one, names in told:
                said = f"{names} of {file.file.name} {one.reason}" if not one.is_unlike else ""
                said = said or f"{names} of {file.file.name}: {one.reason}"
                yield indented([Entry(one.word, [Paragraph(said)], look=_LOOKS[one.word])])
            bounds = dict.fromkeys(f"of {file.file.name}: {one.bounds}" for file, one, _ in told if one.bounds)
            yield from (indented([Entry("bounds", [Paragraph(text)])]) for text in bounds)
            yield from (indented([Paragraph(file.several)]) for file in answer.go_files if file.several)
            yield GAP

    def _verdicts(self) -> Sequence[Verdicts]:
        return [
            check_answer(a.explorations, a.replay, a.judgement, a.subject.consequence, _functions_answer(a))
            for a in self.found
        ]

    def _reports(self) -> Sequence[Report]:
        return [context.report(a.explorations) for a, context in zip(self.found, self.contexts, strict=True)]


def _functions_answer(answer: CheckAnswer) -> Sequence[GoFunctionAnswer]:
    return [
        GoFunctionAnswer(f.name, file.file.name, f.word, f.reason, f.bounds)
        for file in answer.go_files
        for f in file.functions
    ]


def proved(answer: ProofAnswer, query: ProofQuery) -> tuple[Content, ReportContext]:
    """What was proved, and what a report of it says besides."""
    notes = notes_of([answer.subject])
    context, wanted = _context("prove", answer, query, notes), _details(answer, notes, query.properties)
    content = Content(
        parts=lambda detail: ProofReport(answer.proofs, wanted, detail).parts(),
        data=lambda: answer_data(
            proofs_answer(answer.proofs, answer.replay, answer.judgement, answer.subject.consequence)
        ),
        report=lambda: context.report(answer.explorations),
    )
    return content, context


def _context(
    command: str, answer: CheckAnswer | ProofAnswer, query: CheckQuery | ProofQuery, notes: Mapping[str, str]
) -> ReportContext:
    line = command_line(command, answer.subject.option, query.scenarios, query.properties)
    return ReportContext(command, answer.subject, line, notes, answer.replay, answer.judgement)


def _details(
    answer: CheckAnswer | ProofAnswer,
    notes: Mapping[str, str],
    asked: Sequence[str],
    is_alone: bool = True,
    stats: bool = False,
    counterexamples: int = 1,
) -> TextOptions:
    return TextOptions(
        sources=notes,
        replay=answer.replay,
        stats=stats,
        judgement=answer.judgement,
        counterexamples=counterexamples,
        harms=answer.subject.harms,
        effects=answer.subject.effects,
        at_a_glance=True,
        asked=asked,
        called=called,
        shown_by=partial(answer.replay, called=called),
        walked_by=partial(answer.walk, called=called) if isinstance(answer, CheckAnswer) else None,
        then=review_command(answer.subject) if is_alone else (),
    )
