"""What `review` found out, as every format is rendered from."""

from __future__ import annotations

from collections.abc import Iterator

from podproof.cli.findings import place_of, report_of, rules
from podproof.cli.outputs import Content
from podproof.queries.reviewing import Review
from podproof.reports.content.comparison import comparison_findings
from podproof.reports.content.finding import HERE, FilePlace
from podproof.reports.content.review.answer import review_answer
from podproof.reports.content.review.first_screen import first_screen
from podproof.reports.content.review.page import page_of
from podproof.reports.document import Page, Part
from podproof.reports.layout import Detail
from podproof.reports.render.json import answer_data
from podproof.reports.render.text import text_parts


def content(answer: Review) -> Content:
    """The comparison, as every format is rendered from."""
    found, origin, subjects = answer.found, answer.origin, answer.subjects
    claims = dict.fromkeys(claim for subject in subjects for claim in subject.every_claim)

    def parts(detail: Detail) -> Iterator[Part]:
        page, harms = page_of(found, origin), {**subjects[0].harms, **subjects[1].harms}
        if detail is not Detail.NORMAL:
            return text_parts(page, detail)
        return first_screen(found, page, harms, subjects[1].origin or subjects[0].origin, origin.hunks)

    def place(file: str) -> FilePlace:
        known = None if answer.change is None else answer.change.place_of(file)
        if known is None:
            return place_of(file)
        here = place_of(str(known[0] / known[1]))
        return here if here.base == HERE else FilePlace(HERE, known[1])

    def html(page: Page) -> str:
        from podproof.cli.review_page import review_html

        return review_html(page, found, subjects)

    return Content(
        parts=parts,
        data=lambda: answer_data(review_answer(found, origin)),
        report=lambda: report_of(
            "review",
            origin.command,
            subjects,
            comparison_findings(found, rules(claims, origin.sources), origin.command, answer.on_difference),
            (answer.code, answer.reason),
            answer.undecided_ok,
            place,
        ),
        page=lambda: page_of(found, origin),
        html=html,
        go_tests=answer.go_tests,
    )
