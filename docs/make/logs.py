"""`python -m docs.make.logs FOLDER docs/logs.md` writes what `podproof log` says of each log of a folder into the page.

Beside each NAME.log may be a NAME.json with `source_url` and `kubelet_version`. The logs are no part of the project, so
this is run by hand, with the logs at hand.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from podproof.queries.logs import judge
from podproof.reports.content.log import LogAnswer

BEGIN, END = "<!-- python -m docs.make.logs writes this table -->\n", "<!-- to here -->\n"
HEAD = "| log | kubelet | judgement, n/m | where its worker stands | waits for |\n|---|---|---|---|---|\n"
MOST_PLACES = 4
"""That are listed of a worker."""
_ISSUE = re.compile(r"https://github\.com/([\w./-]+)/(?:issues|pull)/(\d+)\Z")


def rows(folder: Path) -> Iterator[str]:
    """Of each log the row."""
    for file in sorted(folder.glob("*.log")):
        about = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
        answer = judge([file])
        issue = _ISSUE.fullmatch(about.get("source_url", ""))
        name = file.stem.partition("-")[2].replace("-", " ")
        shown = f"{name} ([{issue[1]}#{issue[2]}]({issue[0]}))" if issue else name
        cells = (shown, about.get("kubelet_version", "").partition(" (")[0], *told(answer))
        yield f"| {' | '.join(cells)} |\n"


def told(answer: LogAnswer) -> tuple[str, str, str]:
    """The judgements, where the workers stand, and what is waited for."""
    judged = (f"{pod.judgement} {pod.could_contradict}/{pod.lines}" for pod in answer.pods)
    stands = (
        "; or ".join(pod.stands) if len(pod.stands) <= MOST_PLACES else "in one of many places"
        for pod in answer.pods
        if pod.stands
    )
    of_each = [*(pod.waits for pod in answer.pods), *(pod.waits for pod in answer.waiting)]
    waits = (
        f"{waits.waits_for}: {waits.turn} turn"
        for of_pod in of_each
        for waits in {each.waits_for: each for each in of_pod}.values()
    )
    return listed(judged) or "no line of a worker", listed(stands), listed(waits)


def listed(texts: Iterable[str]) -> str:
    """Each once, with how often."""
    counted = Counter(texts)
    return "<br>".join(text if count == 1 else f"{text} ({count} times)" for text, count in counted.items())


def main() -> None:
    folder, page = map(Path, sys.argv[1:])
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{page}: no table to write, as it lacks {BEGIN.strip()} and {END.strip()}")
    page.write_text(before + begin + "\n" + HEAD + "".join(rows(folder)) + "\n" + end + after, encoding="utf-8")


if __name__ == "__main__":
    main()
