"""The traces in tests/traces. `python -m tests.recorded_traces` writes them anew, from their own events.

Those of 1.20 were scripted by hand; what they say was seen is what the model shows, which recordings of the real code
have been compared with.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from podproof.checker.conformance import Conformance, replay
from podproof.kubelet.replay import Replayer, record
from podproof.model.release import KubeletRelease
from podproof.queries.build import Subject, replayer_of
from podproof.queries.formats import TRACE, TRACE_OF_1_20, trace_format
from podproof.queries.forms import replayer_factory
from podproof.queries.versions import VERSIONS

Release = type[KubeletRelease]


def version_of(trace: Any) -> str:
    """The name of the release that a trace is of; its `version` ends in it."""
    return str(trace["version"]).split()[-1]


FOLDER = Path(__file__).parent / "traces"
LIFECYCLES, OF_1_20 = FOLDER / "lifecycles.jsonl", FOLDER / "v1.20.jsonl"
OTHERS = FOLDER / "other-releases.jsonl"
"""Of 1.26, 1.35 and 1.36, where these do other things than 1.29."""
FILES: dict[Path, list[Any]] = {
    path: [trace for _, trace in form.read_lines(path)]
    for path, form in ((LIFECYCLES, TRACE), (OTHERS, TRACE), (OF_1_20, TRACE_OF_1_20))
}
TRACES: dict[str, Any] = {f"{t['trace']}-{version_of(t)}": t for traces in FILES.values() for t in traces}
CREATE = {"op": "update", "uid": "web", "type": "create", "pod": {"ns": "default", "name": "web"}}
"""An event that a trace may begin with."""


def release_of(trace: Any) -> Release:
    return VERSIONS[version_of(trace)].cls


@functools.cache
def replayer(release: Release) -> Callable[[Any], Replayer]:
    return replayer_of(Subject("", release, ""))


def conformance(trace: Any, release: Release) -> Conformance:
    trace_format(release).check(trace, "traces.jsonl:1")
    return replay(trace, replayer(release), "traces.jsonl:1")


def recorded(trace: Any, release: Release) -> Any:
    """A trace of the same events with what the release's model shows after each."""
    return record(trace, replayer_factory(release)(trace))


if __name__ == "__main__":
    for path, traces in FILES.items():
        lines = [recorded(trace, release_of(trace)) for trace in traces]
        path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
