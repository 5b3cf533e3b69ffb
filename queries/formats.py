"""The formats of the JSON that commands read, each with its schema."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from podproof.checker.core.printer import visible
from podproof.checker.core.system import CheckerError
from podproof.checker.reading import Format
from podproof.reports.render.json import schema_text

if TYPE_CHECKING:
    from podproof.kubelet.layers.case import Layer

TRACE = Format(
    lambda: files("podproof.kubelet").joinpath("trace.schema.json").read_text(encoding="utf-8"),
    "give a .jsonl file; docs/traces.md has the format",
    1 << 22,
)
TRACE_OF_1_20 = Format(
    lambda: files("podproof.kubelet_1_20").joinpath("trace-v1.20.schema.json").read_text(encoding="utf-8"),
    "give a .jsonl file; docs/traces-v1.20.md has the format",
    1 << 22,
)
LAYERS = Format(
    lambda: files("podproof.kubelet").joinpath("layers.schema.json").read_text(encoding="utf-8"),
    "give a .jsonl file; docs/layers.md has the formats",
    1 << 22,
)
RESULT = Format(
    schema_text, "give a file that `podproof check -o json` wrote, or that `podproof explore` saved", 1 << 24
)
PUBLISHED = {"podproof/1": RESULT, "trace": TRACE, "trace-v1.20": TRACE_OF_1_20, "layers": LAYERS}
"""What `podproof explain schema` prints."""


def trace_format(release: type) -> Format:
    """The format of the traces that are recorded of a release."""
    from podproof.queries.forms import form_of  # Only a replay needs it.

    return PUBLISHED[form_of(release).schema]


def recordings_in(paths: Sequence[Path]) -> Iterator[Path]:
    """The files among these paths and in these folders. Raises CheckerError for a folder without any."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(file for file in path.rglob("*") if file.name.endswith((".jsonl", ".jsonl.gz")))
        if not found:
            raise CheckerError(f"{path}: no file in this directory ends in .jsonl or .jsonl.gz; give a .jsonl file")
        yield from found


def read_recording(path: Path, release: type) -> Iterator[tuple[str, Any, Layer | None]]:
    """The cases of a file, each with its `file:line` and the layer it was recorded of; None for the pod workers.

    Raises CheckerError for a line that is no recording, or of another kind than the lines before it.
    """
    of_workers = trace_format(release)
    kinds: list[Layer | None] = []
    for where, line in replace(of_workers, schema=lambda: "{}").read_lines(path):
        layer = _layer_of(line, where)
        if not kinds:
            kinds, form = [layer], of_workers if layer is None else _format_of(layer)
        elif layer is not kinds[0]:
            raise CheckerError(
                f"{where}: this is {_what(layer)}, and the lines before are each {_what(kinds[0])}; "
                "give each kind of recording a file of its own"
            )
        form.check(line, where)
        yield where, line, layer


def _layer_of(line: Any, where: str) -> Layer | None:
    from podproof.kubelet.layers import layer_of  # Only a replay needs it.

    layer = layer_of(line)
    if layer is None and isinstance(line, Mapping) and not line.keys() & {"trace", "steps"}:
        keys = visible(", ".join(list(line)[:12])) or "none"
        raise CheckerError(
            f"{where}: this is no recording of a known kind (its keys: {keys}); docs/traces.md has the format of the "
            "pod workers' traces, docs/layers.md that of the layers around them"
        )
    return layer


def _what(layer: Layer | None) -> str:
    return "a trace of the pod workers" if layer is None else f"a case of {layer.function}"


@functools.cache
def _format_of(layer: Layer) -> Format:
    """The format of a layer's cases: its definition in the schema of all layers, and what a case of any may have."""
    texts = {key: {"$ref": "#/$defs/text"} for key in ("id", "profile")}
    schema = {**json.loads(LAYERS.schema()), "$ref": f"#/$defs/{layer.function}", "properties": texts}
    return replace(LAYERS, schema=lambda: json.dumps(schema))
