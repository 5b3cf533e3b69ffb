"""What there is of one kind, such as the claims: as a document and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from podproof.reports.document import Part, Table, Verbatim
from podproof.reports.layout import Detail
from podproof.reports.render.json import document


@dataclass(frozen=True)
class Listing:
    """Everything of one kind, a row each."""

    kind: str
    table: Table
    name: int = 0
    """The column that is the name."""

    @property
    def names(self) -> list[str]:
        return [row[self.name] for row in self.table.rows]


def listing_parts(found: Listing, detail: Detail, for_people: bool) -> Iterator[Part]:
    """A table; for other programs one of a line for each row, without a head; quietly only the names."""
    if detail is Detail.QUIET:
        yield Verbatim(found.names)
    else:
        yield found.table if for_people else Table((), found.table.rows, is_wrapped=False)


def listing_data(found: Listing, tool: Mapping[str, Any]) -> dict[str, Any]:
    """The same as data of the schema podproof/1."""
    rows = [dict(zip(found.table.head, row, strict=True)) for row in found.table.rows]
    entries = [{"name": name, "columns": row} for name, row in zip(found.names, rows, strict=True)]
    return document("list", tool, {"listed": found.kind, "results": entries})
