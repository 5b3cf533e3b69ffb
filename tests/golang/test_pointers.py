"""A local that points to something new: what it is stored as is the same object, and so is what another local has."""

from __future__ import annotations

import pytest
from tests.golang.test_edits import before_finished, edited, new_lines

from podproof.checker.core import ModelError

NEW = "\topts := &UpdatePodOptions{Pod: options.Pod}\n"
SETS = "\topts.UpdateType = kubetypes.SyncPodKill\n"
STORES = "\tstatus.pendingUpdate = opts\n"
FILL = "\nfunc fill(o *UpdatePodOptions, do func()) {\n\to.UpdateType = kubetypes.SyncPodKill\n\tdo()\n}\n"
WORK = "\tw := &podWork{WorkType: SyncPod}\n\tv := w\n\tv.WorkType = TerminatedPod\n"


@pytest.mark.parametrize("makes", [NEW, "\topts := ptr.To(*status.activeUpdate)\n", NEW.replace("&", "")])
def test_what_is_set_before_it_is_stored_is_stored(makes: str) -> None:
    stores = STORES if "UpdatePodOptions{" not in makes or "&" in makes else STORES.replace("opts", "&opts")
    assert new_lines(edited(before_finished(makes + SETS + stores)))[-2:] == [
        "opts.update_type = UpdateType.KILL",
        "status.pending_update = copy(opts)",
    ]


def test_ptr_to_copies_what_a_pointer_points_to() -> None:
    go = "\tstatus.pendingUpdate = ptr.To(*status.activeUpdate)\n"
    assert new_lines(edited(before_finished(go)))[-1] == "status.pending_update = copy(status.active_update)"


@pytest.mark.parametrize(
    ("go", "error"),
    [
        (NEW + STORES + SETS, "`opts` is written after its address was stored"),
        ("\topts := ptr.To(*status.activeUpdate)\n" + STORES + SETS, "`opts` is written after its address was stored"),
        (NEW + "\tother := opts\n" + SETS.replace("opts", "other") + STORES, "`other` would be one object under two"),
        (WORK + "\tstatus.deleted = w.WorkType == SyncPod\n", "`v` would be one podWork under two"),
        (NEW + "\tfill(opts, func() { status.deleted = true })\n" + STORES, "`o` would be one object under two"),
    ],
)
def test_one_object_under_two_names_is_not_written(go: str, error: str) -> None:
    with pytest.raises(ModelError, match=error):
        edited(before_finished(go), more=FILL if "fill(" in go else "")


def test_a_struct_that_is_copied_is_another() -> None:
    lines = new_lines(edited(before_finished(WORK.replace("&", "") + "\tstatus.deleted = w.WorkType == SyncPod\n")))
    assert lines[-2:] == ["v_work_type = WorkType.TERMINATED", "status.deleted = w_work_type == WorkType.SYNC"]
