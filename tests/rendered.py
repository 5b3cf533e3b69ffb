"""What commands print, made from what they found out."""

from __future__ import annotations

from collections.abc import Sequence

from podproof.checker.core.proofs import Proofs
from podproof.checker.core.system import Exploration
from podproof.reports.content.check import CheckReport, TextOptions
from podproof.reports.content.prove import ProofReport
from podproof.reports.document import Page
from podproof.reports.layout import Style
from podproof.reports.render.text import render_text, text_parts

PLAIN = Style()


def check_text(explorations: Sequence[Exploration], wanted: TextOptions | None = None, style: Style = PLAIN) -> str:
    return render_text(CheckReport(explorations, wanted, style.detail).parts(), style)


def proofs_text(proofs: Sequence[Proofs], wanted: TextOptions | None = None, style: Style = PLAIN) -> str:
    return render_text(ProofReport(proofs, wanted, style.detail).parts(), style)


def page_text(page: Page, style: Style) -> str:
    return render_text(text_parts(page, style.detail), style)
