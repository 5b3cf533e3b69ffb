"""What there is of one kind, such as the claims: the answer, and as a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from podproof.checker.core.answer import AnswerPart
from podproof.reports.document import Part, Table, Verbatim
from podproof.reports.layout import Detail


class Listed(AnswerPart, frozen=True):
    name: str
    columns: dict[str, str]
    """What the table says of it, by column."""


class Listing(AnswerPart, frozen=True, tag_field="kind", tag="list"):
    """list"""

    listed: str
    """What was listed, such as properties."""
    results: Sequence[Listed]


def listing(what: str, table: Table, name: int = 0) -> Listing:
    """The answer for a table, with the column that is the name."""
    return Listing(what, [Listed(row[name], dict(zip(table.head, row, strict=True))) for row in table.rows])


def listing_parts(found: Listing, detail: Detail, for_people: bool) -> Iterator[Part]:
    """A table; for other programs one of a line for each row, without a head; quietly only the names."""
    if detail is Detail.QUIET:
        yield Verbatim([entry.name for entry in found.results])
    else:
        head = list(found.results[0].columns) if for_people else ()
        yield Table(head, [list(entry.columns.values()) for entry in found.results], is_wrapped=for_people)
