"""What a function keeps for itself: copies of a status, and what must not be read of one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golang.test_edits import edited, new_lines
from tests.golang.test_translation import changed

from podproof.checker.core import ModelError
from podproof.checker.difference.transitions import Equality, compare_everywhere, in_one_graph
from podproof.golang.equality import candidates
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import go_subject, subject_of, system_of

ENDS = "\tstatus.startedTerminating = true\n\tp.requeue(uid, status)\n"
"""completeSync, from where it writes."""
FORGOTTEN = (
    "\tp.releaseStatic(uid, status)\n\tdelete(p.podSyncStatuses, uid)\n}\n\nfunc (p *podWorkers) completeTerminated("
)
KEPT = "\tbefore := *status\n"


def copied(go: str) -> tuple[str, str]:
    """completeSync with a copy of the status as it was before the last writes, and statements after these."""
    return ENDS, f"{KEPT}{ENDS}{go}"


BECOMES: dict[str, tuple[tuple[str, str], list[str]]] = {
    "a field": (
        copied("\tif !before.startedTerminating {\n\t\tstatus.deleted = true\n\t}\n"),
        ["before = copy(status)", "if not before.started_terminating:"],
    ),
    "a method": (
        copied("\tif before.phase() != status.phase() {\n\t\tstatus.deleted = true\n\t}\n"),
        ["before = copy(status)", "if phase(before) != phase(status):"],
    ),
    "a pointer that is asked for nil": (
        copied("\tif before.pendingUpdate == nil && status.pendingUpdate != nil {\n\t\tstatus.deleted = true\n\t}\n"),
        [
            "before = copy(status)",
            "if not before.pending_update.present and status.pending_update.present:",
        ],
    ),
    "one of a status that is gone": (
        (FORGOTTEN, KEPT + FORGOTTEN.replace("\n}", "\n\tif before.finished {\n\t\tp.wake(uid)\n\t}\n}", 1)),
        ["before = copy(status)", "if before.finished:", "self.wake(uid)"],
    ),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", BECOMES)
def test_a_copy_of_a_status_is_what_the_status_was(what: str) -> None:
    edit, lines = BECOMES[what]
    assert new_lines(edited(edit)) == lines


REFUSED: dict[str, tuple[str, str]] = {
    "what a pointer of it points to": ("\tif before.activeUpdate.Pod != nil {\n\t\treturn\n\t}\n", "nothing is known"),
    "that, in a log": (
        '\tif before.activeUpdate != nil {\n\t\tklog.InfoS("ended", "was", before.activeUpdate.UpdateType)\n\t}\n',
        "may be nil, or another one by now",
    ),
    "a pointer that is stored": ("\tstatus.pendingUpdate = before.pendingUpdate\n", "is of another kind"),
    "its context": ("\tif before.ctx != nil {\n\t\treturn\n\t}\n", "the model cannot keep podSyncStatus.ctx"),
    "its cancel function": ("\tbefore.cancelFn()\n", "`before` is a copy, and `before.cancelFn` is known for a status"),
    "its lists": ("\tstatus.deleted = len(before.notifyPostTerminating) > 0\n", "is not kept with a copy"),
    "a field of it is set": ("\tbefore.finished = true\n", "`before` is a copy of a status, and is written"),
    "a method that writes": ("\tbefore.remember(UpdatePodOptions{})\n", "`before` is a copy of a status"),
    "its address": ("\tp.requeue(uid, &before)\n", "take the address of a new struct"),
    "it is made the status again": ("\t*status = before\n", "`*status` cannot be assigned to here"),
    "it is set again": ("\tbefore = *status\n\tstatus.deleted = before.finished\n", "is set more than once"),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", REFUSED)
def test_what_a_copy_of_a_status_shares_or_lacks_is_refused(what: str) -> None:
    go, error = REFUSED[what]
    with pytest.raises(ModelError) as refused:
        edited(copied(go))
    assert error in str(refused.value)


def unlike(folder: Path, *changes: tuple[str, str]) -> dict[str, Equality]:
    """What of the changed worker is not the model's."""
    file = folder / "pod_workers.go"
    file.write_text(changed(*changes), encoding="utf-8")
    subjects = subject_of("v1.29", None), go_subject(file, "v1.29")
    systems = in_one_graph(*(system_of(subject, SCENARIOS["lone-pod"]) for subject in subjects))
    found = compare_everywhere(systems, candidates(systems[1]), [])
    return {c.name: c.equality for c in found.conclusions if c.equality is not Equality.EQUAL}


@pytest.mark.slow
def test_what_is_decided_by_a_copy_is_what_was_so_before(tmp_path: Path) -> None:
    deletes = "\tstatus.deleted = status.deleted || {} && {}\n".format
    stopped = deletes("before.startedTerminating", "!status.startedTerminating")
    started = deletes("!before.startedTerminating", "status.startedTerminating")
    assert unlike(tmp_path, copied(stopped)) == {}
    assert Equality.DIFFERENT in unlike(tmp_path, copied(started)).values()
