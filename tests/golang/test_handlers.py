"""The sync loop's handlers, translated: our own Go, which does what the model's do, and changes of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.kubelet_files import Edit, begin_repository, with_edits
from tests.golang.test_translation import SOURCE as WORKERS

from podproof.checker.core.system import CheckerError
from podproof.checker.difference.transitions import Equality
from podproof.golang import neighbours
from podproof.golang.handlers import TranslatedHandlers, handlers_in
from podproof.golang.neighbours import KnownCallers, modelled
from podproof.queries import go_files
from podproof.queries.build import subject_of
from podproof.queries.handlers import HandlerTheorem, ReadHandlers, handlers_of, prove_handlers_equal

FILE = Path(__file__).with_name("handlers.go")
SOURCE = FILE.read_text(encoding="utf-8")
SKIP = (
    "		if utilfeature.DefaultFeatureGate.Enabled(features.InPlacePodVerticalScaling) && "
    "!kl.allocationManager.HasPodAllocatedResources(given.UID) {\n"
    '			log.V(4).Info("left out", "uid", given.UID)\n			continue\n		}\n'
)
IN_SYNCS = "		if isMirror {\n			continue\n		}\n"
UPDATE = (
    "		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{UpdateType: kubetypes.SyncPodUpdate, Pod: pod, "
    "MirrorPod: mirror, StartTime: now})\n"
)
REMOVED = (
    "		kl.allocationManager.RemovePod(given.UID)\n"
    "		pod, mirror, isMirror := kl.podManager.GetPodAndMirrorPod(given)\n"
)
GET, SET = "		last, _ := kl.podManager.GetPodByUID(given.UID)\n", "		kl.podManager.UpdatePod(given)\n"
OFF = "utilfeature.DefaultFeatureGate.Enabled(features.NodeDeclaredFeatures)"


def in_syncs(*lines: str) -> Edit:
    """More statements in the loop of HandlePodSyncs."""
    return IN_SYNCS, IN_SYNCS + "".join(f"		{line}\n" for line in lines)


HAS_ENDED = "if !hasEnded && !kl.podWorkers.IsPodTerminationRequested(pod.UID) {"
ASK = "			fits, why, said := kl.allocationManager.AddPod(kl.GetActivePods(), pod)\n"
REJECT = "				kl.rejectPod(ctx, pod, why, said)\n"
CREATE = (
    "		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, MirrorPod: mirror, "
    "UpdateType: kubetypes.SyncPodCreate})\n"
)


def edited(*edits: Edit) -> str:
    return with_edits(SOURCE, *edits)


def translated(*edits: Edit, version: str = "v1.36.3") -> TranslatedHandlers:
    return handlers_of(subject_of(version, None), FILE, edited(*edits), handlers_in(SOURCE))


def decided(*edits: Edit, version: str = "v1.36.3") -> HandlerTheorem:
    return prove_handlers_equal(translated(*edits, version=version), subject_of(version, None))


@pytest.mark.slow
@pytest.mark.parametrize(("version", "edits"), [("v1.36.3", []), ("v1.36", [(SKIP, "")])])
def test_another_text_of_what_the_model_does_is_equal(version: str, edits: list[Edit]) -> None:
    found = decided(*edits, version=version)
    assert found.equality is Equality.EQUAL, found.reason
    assert "events of one pod each; no resizes" in found.bounds
    assert "nor what rejectPod does where SyncPod calls it" in found.bounds


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ((SKIP, ""), "in static-pod-restart, DELETE of the mirror pod of static"),
        (in_syncs("if kl.podWorkers.IsPodTerminationRequested(pod.UID) {", "	continue", "}"), "SYNC"),
        (("		if pod != nil {", "		if pod != nil && mirror.DeletionTimestamp == nil {"), "REMOVE of the"),
        (("	if kl.sourcesReady.AllReady() {", "	if !kl.sourcesReady.AllReady() {"), "REMOVE"),
        (("		kl.allocationManager.RemovePod(given.UID)\n", ""), "REMOVE static"),
        (("SyncPodUpdate, Pod: pod, MirrorPod: mirror, Start", "SyncPodUpdate, Pod: pod, Start"), "mirror_pod"),
        (("SyncPodUpdate, Pod", "SyncPodSync, Pod"), "update_type"),
        ((UPDATE, ""), "calls[0].present is True in the release"),
        (in_syncs("_ = kl.deletePod(ctx, pod)"), "SYNC"),
        (in_syncs("var _ = kl.deletePod(ctx, pod)"), "SYNC"),
        (in_syncs('klog.InfoS("synced", "err", kl.deletePod(ctx, pod))'), "SYNC"),
        (in_syncs("if mirror.DeletionTimestamp != nil && false {", "}", "continue"), "Go would panic"),
        ((REMOVED, f"{REMOVED}		kl.podCertificateManager.ForgetPod(ctx, pod)\n"), "Go would panic"),
        (
            (REMOVED, f'{REMOVED}		kl.recorder.Eventf(pod, v1.EventTypeWarning, "Gone", "gone")\n'),
            "Go would panic",
        ),
        ((HAS_ENDED, HAS_ENDED.replace("!hasEnded && ", "")), "ADD static: "),
        ((HAS_ENDED, HAS_ENDED.replace(" && !kl.podWorkers.IsPodTerminationRequested(pod.UID)", "")), "ADD static: "),
        ((HAS_ENDED, HAS_ENDED.replace(" {", " && kl.sourcesReady.AllReady() {")), "ADD static: "),
        ((REJECT, ""), "rejected[0] is True in the release and as before here"),
        (
            (REJECT, REJECT + "				_ = kl.deletePod(ctx, pod)\n"),
            "ADD static: rejected at admission: calls[0]",
        ),
        ((f"{REJECT}				continue\n", REJECT), "ADD static: rejected at admission: calls[0].present"),
        ((CREATE, f"{CREATE}		kl.allocationManager.RemovePod(pod.UID)\n"), "allocated[0]"),
        ((CREATE, CREATE.replace("SyncPodCreate", "SyncPodUpdate")), "update_type is create in the release and update"),
        ((CREATE, CREATE.replace("MirrorPod: mirror, ", "")), "calls[0].mirror_pod"),
        (
            (
                "		if isMirror {\n			kl",
                "		if isMirror && mirror.DeletionTimestamp != nil {\n			continue\n		}\n"
                "		if isMirror {\n			kl",
            ),
            "ADD of the mirror pod",
        ),
        (
            (
                "	kl.statusManager.SetPodStatus",
                "	if kubetypes.IsStaticPod(pod) {\n		return\n	}\n	kl.statusManager.SetPodStatus",
            ),
            "rejected[0]",
        ),
    ],
)
def test_a_wrong_twin_is_different_in_an_event(edit: Edit, told: str) -> None:
    found = decided(edit)
    assert found.equality is Equality.DIFFERENT
    assert told in found.reason, found.reason


def test_a_mirror_pod_whose_static_pod_is_not_asked_for_is_a_panic() -> None:
    """GetPodAndMirrorPod gives nil for a static pod that is gone."""
    found = decided(
        (SKIP, ""),
        ("if isMirror && pod == nil {\n			log", "if mirror == nil {\n			log"),
        version="v1.36",
    )
    assert found.equality is Equality.DIFFERENT
    assert "DELETE of the mirror pod of static: " in found.reason and "Go would panic" in found.reason, found.reason


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (in_syncs("if kl.isBusy(pod) {", "	continue", "}"), "nothing is known of `kl.isBusy(pod)`"),
        (in_syncs("kl.forget(pod)"), "nothing is known of what this does"),
        (in_syncs('klog.InfoS("synced", []error{kl.deletePod(ctx, pod)})'), "nothing is known of this type"),
        (in_syncs('klog.InfoS("synced", kl.forget(pod))'), "nothing is known of `kl.forget(pod)`"),
        (in_syncs("if !isMirror {", "	return", "}"), "the other pods of the event are left out"),
        (in_syncs("if !isMirror {", "	break", "}"), "the other pods of the event may be left out"),
        (("		kl.podManager.RemovePod(given)\n", ""), "GetPodAndMirrorPod is called where"),
        (("kl.podManager.RemovePod(given)", "kl.podManager.UpdatePod(given)"), "told otherwise than in the release"),
        ((f"{GET}{SET}", f"{SET}{GET}"), "GetPodByUID is called where"),
        (("Pod: pod, UpdateType: kubetypes.SyncPodKill", "Pod: pod, RunningPod: nil"), "no such option"),
        (("SyncPodUpdate, Pod: pod,", "SyncPodUpdate, Pod: last,"), "no such option"),
        (("	for _, given := range due {", "	for i, given := range due {"), "this loop is not read"),
        (("func (kl *Kubelet) HandlePodSyncs(", "func (k *Kubelet) HandlePodSyncs("), "the Kubelet is called 'k' here"),
        (('	return fmt.Errorf("a source has not reported")\n', ""), "may end without an answer"),
        (('"k8s.io/kubernetes/pkg/kubelet/status"', '"example.org/status"'), "of which nothing is known"),
        (("features.InPlacePodVerticalScaling", "features.Other"), "whether Other is on is not known"),
        (
            (ASK, f"			kl.allocationManager.AddPod(kl.GetActivePods(), pod)\n{ASK}"),
            "is called twice, or after something",
        ),
        ((f"		{HAS_ENDED}", f"{CREATE}		{HAS_ENDED}"), "is called twice, or after something"),
        (
            (ASK, ASK.replace("kl.GetActivePods()", "added")),
            "nothing is known of `kl.allocationManager.AddPod(added, pod)`",
        ),
        (
            (
                "	for _, given := range added {",
                "	active := kl.GetActivePods()\n	for _, given := range added {",
            ),
            "which pods are active is asked once for all of the event",
        ),
        (("		kl.podManager.AddPod(given)\n", ""), "GetPodAndMirrorPod is called where"),
        (("Phase: v1.PodFailed", "Phase: v1.PodPending"), "nothing is known of a rejected pod with this"),
        (("Phase: v1.PodFailed, ", ""), "this status says no phase"),
        (
            (
                "				waiting = append",
                "			}\n			if isMirror || pod.DeletionTimestamp != nil {\n				waiting = append",
            ),
            "only a local",
        ),
        (
            in_syncs(f"if {OFF} {{", "	continue", "}"),
            "under NodeDeclaredFeatures is not read, and does more than to tell",
        ),
        (in_syncs(f"if {OFF} {{", "	kl.podManager.RemovePod(pod)", "}"), "and does more than to tell"),
        (in_syncs(f"if {OFF} {{", '	panic("off")', "}"), "and does more than to tell"),
        (in_syncs(f"if {OFF} {{", "	forget(kl, pod)", "}"), "and does more than to tell"),
        (
            in_syncs(f"if {OFF} {{", "	var workers = kl.podWorkers", "	workers.UpdatePod(ctx)", "}"),
            "more than to tell",
        ),
        (in_syncs(f"if {OFF} {{", '	klog.Fatal("off")', "}"), "and does more than to tell"),
        (
            (f"		{HAS_ENDED}", f"	}}\n	for _, pod := range added {{\n		{HAS_ENDED}"),
            "all pods of the event come before the first of them",
        ),
        (
            (
                "func (kl *Kubelet) HandlePodSyncs(",
                "func (kl *Kubelet) HandlePodSyncs() {\n}\n\nfunc (kl *Kubelet) HandlePodSyncs(",
            ),
            "`Kubelet.HandlePodSyncs` is declared twice",
        ),
        (in_syncs(f"off := {OFF}", "if off {", "	continue", "}"), "is not asked in the condition of an if"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(edit: Edit, told: str) -> None:
    with pytest.raises(CheckerError, match=r"handlers\.go:\d+:\d+: ") as refusal:
        translated(edit)
    assert told in str(refusal.value), refusal.value


def test_a_handler_that_calls_what_its_file_lacks_is_refused_with_what_to_do() -> None:
    begin, end = (
        SOURCE.index("func (kl *Kubelet) HandlePodRemoves("),
        SOURCE.index("func (kl *Kubelet) HandlePodReconcile("),
    )
    calls = with_edits(SOURCE[:begin] + SOURCE[end:], in_syncs("_ = kl.deletePod(ctx, pod)"))
    with pytest.raises(
        CheckerError, match=r"handlers\.go:\d+:\d+: kl\.deletePod is called, and this file has no"
    ) as told:
        handlers_of(subject_of("v1.36.3", None), FILE, calls, ["HandlePodSyncs"])
    assert "put deletePod and HandlePodRemoves into this file, or write the change as a proposal" in str(told.value)
    alone = handlers_of(
        subject_of("v1.36.3", None), FILE, edited(in_syncs("_ = kl.deletePod(ctx, pod)")), ["HandlePodSyncs"]
    )
    assert alone.names == ("HandlePodRemoves", "HandlePodSyncs", "deletePod")
    with pytest.raises(
        CheckerError, match="no method HandlePodRemoves of Kubelet, which is read together with deletePod"
    ):
        handlers_of(subject_of("v1.36.3", None), FILE, edited(("HandlePodRemoves(", "Removes(")), ["deletePod"])


def test_what_one_pod_leaves_for_the_next_of_the_event_is_refused() -> None:
    first = ("	for _, given := range due {\n", "	busy := false\n	for _, given := range due {\n")
    body = (
        IN_SYNCS,
        f"{IN_SYNCS}		if busy {{\n			continue\n		}}\n		busy = pod.DeletionTimestamp != nil\n",
    )
    with pytest.raises(CheckerError, match="`busy` of one pod is read with the next one of the event"):
        translated(first, body)


def unread(*edits: Edit) -> str:
    return " ".join(ReadHandlers(((translated(), translated(*edits)),), ("v1.36.3", "v1.36.3"), "").unread())


@pytest.mark.parametrize(
    "edit",
    [
        ("waits {", "!waits {"),
        (
            "		if kl.allocationManager.HasPendingResizes() {",
            "		pending := kl.allocationManager.HasPendingResizes() && isMirror\n		if pending {",
        ),
        ("				kl.allocationManager.PushPendingResize(pod.UID)\n", "				kl.anything(pod)\n"),
        (
            "		if status.NeedToReconcilePodReadiness(pod) {",
            "		if isMirror || status.NeedToReconcilePodReadiness(pod) {",
        ),
        ("			retry = true\n", "			continue\n"),
        (IN_SYNCS, "		if isMirror {\n			kl.anything(mirror)\n			continue\n		}\n"),
        ("	sort.Sort(sliceutils.PodsByCreationTime(added))\n", ""),
        ("		kl.allocationManager.PushPendingResize(uid)\n", "		kl.anything(uid)\n"),
        ("				waiting = append(waiting, pod.UID)\n", "				continue\n"),
        (
            "		if status.NeedToReconcilePodReadiness(pod) {",
            "		skip := !status.NeedToReconcilePodReadiness(pod) && pod.DeletionTimestamp != nil\n"
            "		if !skip && status.NeedToReconcilePodReadiness(pod) {",
        ),
        in_syncs("late := pod.DeletionTimestamp != nil && !status.NeedToReconcilePodReadiness(pod)", "_ = late"),
    ],
)
def test_a_change_of_what_never_happens_within_the_bounds_is_not_passed_over(edit: Edit) -> None:
    assert not unread()
    assert "beyond these bounds is changed as well" in unread(edit)


def test_what_happens_between_two_calls_is_not_passed_over() -> None:
    assert "More than once for an event UpdatePod is called by HandlePodUpdates" in unread((UPDATE, UPDATE + UPDATE))
    way = UPDATE.replace("		kl", "			kl")
    assert not unread((UPDATE, f"		if isMirror {{\n{way}		}} else {{\n{way}		}}\n"))


# -- review ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def reviewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], tuple[int, str]]:
    """Reviews a change of the file in a repository whose callers are those of 1.36.3, for all that podproof knows."""

    folder = tmp_path / "pkg" / "kubelet"
    folder.mkdir(parents=True)
    (folder / "pod_workers.go").write_text(WORKERS, encoding="utf-8")
    (folder / "kubelet.go").write_text(SOURCE, encoding="utf-8")
    begin_repository(tmp_path)
    own = KnownCallers("own", "v1.36.3", modelled({"kubelet.go": SOURCE}), {})
    monkeypatch.setattr(neighbours, "known_callers", lambda: (own,))

    def answer(text: str, scenario: str) -> tuple[int, str]:
        (folder / "kubelet.go").write_text(text, encoding="utf-8")
        told = run("review", "--repo", str(tmp_path), "--worktree", "--scenario", scenario)
        return told.exit_code, " ".join(told.stdout.split())

    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "scenario", "code", "told"),
    [
        ((SKIP, ""), "static-pod-restart", 1, "1 claim gained: changes_of_mirror_pods_reach_the_worker"),
        ((UPDATE, ""), "restart-all-containers", 1, "changes_of_pods_reach_the_worker"),
        (
            ("waits {", "waits && last != nil {"),
            "ended-before-relist",
            4,
            "does beyond these bounds is changed as well",
        ),
        (
            (
                "		kl.podManager.RemovePod(given)\n		kl.allocationManager.RemovePod(given.UID)\n",
                "		kl.allocationManager.RemovePod(given.UID)\n		kl.podManager.RemovePod(given)\n",
            ),
            "ended-before-relist",
            0,
            "EQUIVALENT",
        ),
    ],
)
def test_a_change_of_a_handler_is_explored(
    reviewed: Callable[[str, str], tuple[int, str]], edit: Edit, scenario: str, code: int, told: str
) -> None:
    found, said = reviewed(edited(edit), scenario)
    assert told in said, said
    assert found == code, said
    assert "Changed, too, and read: HandlePod" in said


@pytest.mark.slow
def test_a_scenario_without_the_sync_loop_says_that_it_does_not_run_the_handlers(
    reviewed: Callable[[str, str], tuple[int, str]],
) -> None:
    found, said = reviewed(edited((UPDATE, "")), "lone-pod")
    assert found == 4 and "sync_loop differ as well, which none of these scenarios runs" in said, said


def take_for_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is that of 1.36.3, for all that podproof knows."""
    own = KnownCallers("own", "v1.36.3", modelled({"a.go": SOURCE}), {})
    monkeypatch.setattr(go_files, "known_callers", lambda: (own,))
    found = translated()
    monkeypatch.setattr(go_files, "UNREAD", {name: found.unread_fingerprint(name) for name in found.names})


@pytest.mark.slow
def test_a_file_of_handlers_is_told_beside_a_release(monkeypatch: pytest.MonkeyPatch) -> None:
    take_for_the_release(monkeypatch)
    told = run("review", "v1.36.3", str(FILE))
    said = " ".join(told.stdout.split())
    assert told.exit_code == 0, told.output
    assert said.startswith(
        "EQUAL: HandlePodAdditions, HandlePodUpdates, HandlePodRemoves, HandlePodReconcile, HandlePodSyncs, deletePod, "
        "rejectPod of"
    )
    assert run("review", "v1.35", str(FILE)).exit_code == 2


@pytest.mark.slow
def test_a_handler_that_does_something_else_beyond_the_bounds_is_not_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_for_the_release(monkeypatch)
    file = tmp_path / "kubelet.go"
    beyond = ("				kl.allocationManager.PushPendingResize(pod.UID)\n", "				kl.anything(pod)\n")
    what = "what HandlePodUpdates does beyond these bounds is not that of v1.36.3, see the lines "
    file.write_text(edited(beyond), encoding="utf-8")
    told = run("review", "v1.36.3", str(file))
    said = " ".join(told.stdout.split())
    assert told.exit_code == 4 and "EQUAL: HandlePodAdditions, HandlePodRemoves, " in said, told.output
    assert "UNDECIDED: HandlePodUpdates of kubelet.go" in said and what in said
    # It is told also of one that differs within them, and keeps the review from being no worse.
    file.write_text(edited(beyond, (SKIP, "")), encoding="utf-8")
    told = run("review", "v1.36.3", str(file), "--scenario", "ended-before-relist")
    said = " ".join(told.stdout.split())
    assert "DIFFERENT: HandlePodUpdates (" in said and what in said, told.output
    assert told.exit_code == 4 and "CANNOT TELL" in said


@pytest.mark.slow
def test_a_file_whose_handlers_differ_is_explored_beside_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_for_the_release(monkeypatch)
    file = tmp_path / "kubelet.go"
    file.write_text(edited((UPDATE, "")), encoding="utf-8")
    where = ("review", "v1.36.3", str(file), "--scenario")
    told = run(*where, "restart-all-containers")
    said = " ".join(told.stdout.split())
    assert told.exit_code == 1 and "WORSE: DIFFERENT" in said, told.output
    assert "2 claims lost: ended_and_deleted_pods_terminate, changes_of_pods_reach_the_worker" in said
    assert "Of kubelet.go (sha256 " in said and "; DIFFERENT: HandlePodUpdates. That holds" in said, said
    assert "Changed in the Go: HandlePodUpdates." in said and "events of one pod each" in said
    # Where no handler runs, it is not told that nothing is worse.
    asleep = run(*where, "lone-pod")
    said = " ".join(asleep.stdout.split())
    assert asleep.exit_code == 4 and "sync_loop differ as well, which none of these scenarios runs" in said, said
