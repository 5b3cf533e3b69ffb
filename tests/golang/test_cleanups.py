"""A pass of housekeeping, translated: our own Go, which does what the model's does, and changes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.kubelet_files import Edit, begin_repository, with_edits
from tests.golang.test_handlers import FILE as EVENTS
from tests.golang.test_handlers import SKIP
from tests.golang.test_translation import SOURCE as WORKERS

from podproof.checker.core.system import CheckerError
from podproof.checker.difference.transitions import Equality
from podproof.golang import neighbours
from podproof.golang.handlers import CLEANUPS, TranslatedHandlers, handlers_in
from podproof.golang.neighbours import KnownCallers, modelled
from podproof.queries import go_files
from podproof.queries.build import subject_of
from podproof.queries.handlers import (
    HandlerTheorem,
    ReadHandlers,
    cut_off_in,
    handlers_of,
    prove_handlers_equal,
    with_handlers,
)

FILE = Path(__file__).with_name("cleanups.go")
SOURCE = FILE.read_text(encoding="utf-8")
AGAIN = "			known[wanted.UID] = PodWorkerSync{State: SyncPod, HasConfig: true}\n"
CREATE = "			options := UpdatePodOptions{Pod: pod, MirrorPod: mirror, UpdateType: kubetypes.SyncPodCreate}\n"
KNOWN = "		if _, isKnown := known[runs.ID]; isKnown {\n			continue\n		}\n"
LOOP = "	for _, runs := range running {\n		if"
FRESH = (
    "	if problem := kl.runtimeCache.ForceUpdateIfOlder(ctx, kl.clock.Now()); problem != nil {\n"
    "		return problem\n	}\n"
)
CALL = "			kl.podWorkers.UpdatePod(ctx, options)\n"
COUNT = "			again++\n"
ENDED = "			found[pod.UID] = pod\n"
ACTIVE = "	active := kl.filterOutInactivePods(all)\n"
SYNC = "	known := kl.podWorkers.SyncKnownPods(log, all)\n"
SECOND = "		kill := &Kill"
OVER = "	return found && (kept.Phase == v1.PodFailed || kept.Phase == v1.PodSucceeded)\n"
STATUSES = "	kl.removeOrphanedPodStatuses(log, all, mirrors)\n"
ROOM = "	var active []*v1.Pod\n"
COUNTS = "	counts := make(map[PodWorkerSync]int)\n"


def translated(*edits: Edit) -> TranslatedHandlers:
    return handlers_of(subject_of("v1.36.3", None), FILE, with_edits(SOURCE, *edits), CLEANUPS)


def decided(*edits: Edit) -> HandlerTheorem:
    return prove_handlers_equal(translated(*edits), subject_of("v1.36.3", None))


@pytest.mark.slow
@pytest.mark.parametrize(
    "edits",
    [
        [],
        [(CREATE, CREATE.replace("Pod: pod", "Pod: wanted"))],
        [("!kl.isOver(pod) || kl.pod", "!(kl.isOver(pod)) || kl.pod")],
        [("		known[runs.ID] = PodWorkerSync{State: TerminatingPod, Orphan: true}\n", "")],
        [(ROOM, "	active := make([]*v1.Pod, 0, len(all))\n")],
    ],
)
def test_another_text_of_what_the_model_does_is_equal(edits: list[Edit]) -> None:
    found = decided(*edits)
    assert found.equality is Equality.EQUAL, found.reason
    assert "of a pass of housekeeping what it calls UpdatePod for" in found.bounds


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ((CREATE, CREATE.replace("Create", "Update")), "update_type is create in the release and update here"),
        ((CREATE, CREATE.replace("MirrorPod: mirror, ", "")), "calls[0].mirror_pod"),
        (("int64(1)", "int64(0)"), "grace_period_seconds_override is 1 in the release and 0 here"),
        (("KillPodOptions: kill, ", ""), "kill_pod_options.present is True in the release"),
        (("{PodTerm", "{Evict: true, PodTerm"), "kill_pod_options.evict"),
        (("range active {", "range all {"), "re-create"),
        (("		if !isKnown {", "		if !isKnown && kubetypes.IsStaticPod(wanted) {"), "re-create"),
        (("!isKnown && pod.DeletionTimestamp != nil && ", "!isKnown && "), "kill terminal"),
        ((" && podutil.IsPodPhaseTerminal(pod.Status.Phase) {", " {"), "kill terminal"),
        (("!kl.isOver(pod) || kl.pod", "!kl.isOver(pod) && !kl.pod"), "listed_as_active"),
        ((OVER, "	return found && kept.Phase == v1.PodSucceeded\n"), "listed_as_active"),
        ((AGAIN, ""), "one call of UpdatePod in a pass of housekeeping"),
        ((KNOWN, ""), "one call of UpdatePod in a pass of housekeeping"),
        (("		if !isKnown {", "		if !isKnown || kubetypes.IsStaticPod(wanted) {"), "one call of UpdatePod"),
        (("		delete(found, runs.ID)\n", "		_ = runs\n"), "one call of UpdatePod"),
    ],
)
def test_a_wrong_twin_is_different_in_an_event(edit: Edit, told: str) -> None:
    found = decided(edit)
    assert found.equality is Equality.DIFFERENT
    assert told in found.reason, found.reason


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        ((FRESH, ""), "ForceUpdateIfOlder is not called once in each pass"),
        ((FRESH, f"	if len(all) > 0 {{\n{FRESH}	}}\n"), "ForceUpdateIfOlder is not called once"),
        (
            ("		return problem\n", '		log.Error(problem, "old")\n'),
            "although the runtime did not list its pods",
        ),
        (
            ("		return err\n	}\n	kl.probe", "	}\n	kl.probe"),
            "although the runtime did not list its pods",
        ),
        ((SYNC, SYNC + SYNC.replace(":=", "=")), "SyncKnownPods is not called once in each pass"),
        ((SYNC, ""), "SyncKnownPods is not called once in each pass"),
        (("SyncKnownPods(log, all)", "SyncKnownPods(log, some)"), "nothing is known of `kl.podWorkers.SyncKnownPods"),
        ((f"{SYNC}", f"	early := kl.filterOutInactivePods(all)\n{SYNC}"), "the workers are asked at another time"),
        ((LOOP, f"	active = kl.filterOutInactivePods(all)\n{LOOP}"), "the workers are asked at another time"),
        (
            (ENDED, f"			if !kl.isOver(pod) {{\n	{ENDED}			}}\n"),
            "the workers are asked at another time",
        ),
        ((COUNT, f"{COUNT}			break\n"), "the other pods may be left out"),
        ((COUNT, f"{COUNT}			return nil\n"), "the other pods may be left out"),
        (
            ("	var again int\n", "	if len(active) == 0 {\n		return nil\n	}\n	var again int\n"),
            "nothing is known of `len",
        ),
        (("		if !isKnown {", "		if !isKnown && again < 10 {"), "nothing is known of `again < 10`"),
        (
            (
                "		if !isKnown {",
                "		if late {\n			continue\n		}\n		late = true\n		if !isKnown {",
            ),
            "nothing is known of `late`",
        ),
        (
            ("			active = append(active, pod)\n", "			active = append(active, pod, pod)\n"),
            "a pod may be in this list twice",
        ),
        ((SECOND, f"		second = 0\n{SECOND}"), "nothing is known of `&second`"),
        ((SECOND, f"		same := &second\n		*same = 0\n{SECOND}"), "only a local is assigned to"),
        (
            ("		known[runs.ID] = Pod", "		kill.Evict = true\n		known[runs.ID] = Pod"),
            "only a local is assigned to",
        ),
        ((LOOP, f"	same := known\n{LOOP}"), "a second name for a list"),
        (
            (
                LOOP,
                f"	same := make(map[types.UID]PodWorkerSync)\n	same = known\n"
                f"	for _, pod := range all {{\n		delete(same, pod.UID)\n	}}\n{LOOP}",
            ),
            "gets a second name",
        ),
        (
            ("	found := make(map[types.UID]*v1.Pod)\n", "	var found map[types.UID]*v1.Pod\n"),
            "to set an entry would panic",
        ),
        ((ROOM, "	active := make([]*v1.Pod, 0, room(all))\n"), "nothing is known of `make("),
        ((ROOM, "	active := make([]*v1.Pod, 0, len(all)-1)\n"), "only the function's own list or map is changed"),
        ((COUNT, f'{COUNT}			log.Info("again", "mirror", mirror.UID)\n'), "nothing is known of `mirror.UID`"),
        (("float64(len(active))", "float64(mirrors[0].Generation)"), "nothing is known of `mirrors[0].Generation`"),
        (("float64(len(active))", "float64(<-kl.ready)"), "nothing is known of `kl.ready`"),
        (
            (AGAIN, AGAIN.replace("{State: SyncPod, HasConfig: true}", "{forget(known), true}")),
            "nothing is known of this entry",
        ),
        ((CALL, CALL.replace("ctx", "forget(known)")), "nothing is known of `forget(known)`"),
        ((CALL, CALL.replace("ctx", "nil")), "nothing is known of `nil`"),
        ((LOOP, f'	delete(known, "a")\n{LOOP}'), "only the function's own list or map is changed"),
        (
            (ENDED, f"{ENDED}			known[pod.UID] = PodWorkerSync{{}}\n"),
            "only the function's own list or map is changed",
        ),
        ((LOOP, f"	clear(known)\n{LOOP}"), "nothing is known of what this does"),
        (
            (LOOP, f"	for _, pod := range all {{\n		pod.DeletionTimestamp = nil\n	}}\n{LOOP}"),
            "only a local is",
        ),
        (
            (LOOP, f'	for _, pod := range all {{\n		pod.SetUID("a")\n	}}\n{LOOP}'),
            "nothing is known of what",
        ),
        ((LOOP, f"	if x := all; len(x) > 0 {{\n		x[0] = nil\n	}}\n{LOOP}"), "nothing is known of `len(x)`"),
        ((LOOP, f"	kl.podManager.Info(all)\n{LOOP}"), "nothing is known of what this does"),
        ((COUNTS, f"{COUNTS}	kl.podWorkers.Forget(known)\n"), "nothing is known of what this does"),
        (("Set(float64(len(active)))", "Set(float64(kl.forget(active)))"), "nothing is known of what this does"),
        (("GetPodAndMirrorPod(wanted)", "GetPodAndMirrorPod(all[0])"), "nothing is known of"),
        ((CALL, CALL.replace("kl.", "go kl.", 1)), "`go` is"),
        ((COUNT, COUNT + CALL), "once for each of them"),
        (
            (
                LOOP,
                f"	for _, pod := range active {{\n		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{{Pod: pod, "
                f"UpdateType: kubetypes.SyncPodCreate}})\n	}}\n{LOOP}",
            ),
            "once for each of them, in this order",
        ),
        (("{PodTermination", "{CompletedCh: done, PodTermination"), "no such kill option of housekeeping"),
        (("func (kl *Kubelet) isOver(", "func (k *Kubelet) isOver("), "the Kubelet is called 'k' here"),
        (
            ("func (kl *Kubelet) filterOutInactivePods(", "func (kl *Kubelet) active("),
            "this file has no method filterOut",
        ),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(edit: Edit, told: str) -> None:
    with pytest.raises(CheckerError, match=r"cleanups\.go:\d+:\d+: ") as refusal:
        translated(edit)
    assert told in str(refusal.value), refusal.value


def unread(*edits: Edit) -> str:
    return " ".join(ReadHandlers(((translated(), translated(*edits)),), ("v1.36.3", "v1.36.3"), "").unread())


@pytest.mark.parametrize(
    "edits",
    [
        [(STATUSES, "")],
        [(STATUSES, ""), (FRESH, STATUSES + FRESH)],
        [(STATUSES, STATUSES.replace("all, ", "nil, "))],
        [("!kl.podWorkers.IsPodForMirror", "kl.podWorkers.IsPodForMirror")],
        [("one.State != TerminatedPod", "one.State == TerminatedPod")],
        [("	kl.crashLoopBackOff.GC()\n", "")],
        [
            ("	all, mirrors, orphans", "	mirrors, all, orphans"),
            (SYNC, SYNC.replace("all", "mirrors")),
            (ACTIVE, ACTIVE.replace("(all", "(mirrors")),
            ("ToDelete(all, ", "ToDelete(mirrors, "),
        ],
        [("pod == nil || isMirror", "pod == nil")],
        [(COUNTS, f'{COUNTS}	mirrors[0].SetUID("a")\n')],
        [(OVER, OVER.replace("found && ", ""))],
        [(OVER, OVER.replace("found && ", "!found || "))],
        [(OVER, "	missing := !found\n	return missing || kept.Phase == v1.PodFailed\n")],
        [(OVER, "	if kept.Phase == v1.PodFailed {\n		return true\n	}\n	return !found\n")],
    ],
)
def test_a_change_of_what_is_beyond_the_bounds_is_not_passed_over(edits: list[Edit]) -> None:
    assert not unread()
    assert "beyond these bounds is changed as well" in unread(*edits)


@pytest.mark.parametrize("edits", [[('"it has ended"', '"gone"')], [('		log.Error(err, "no list")\n', "")]])
def test_what_only_tells_may_change(edits: list[Edit]) -> None:
    assert not unread(*edits)


@pytest.mark.slow
def test_a_pass_that_calls_twice_is_told_to_be_cut_off() -> None:
    release = subject_of("v1.36.3", None)
    assert not cut_off_in(with_handlers(release, translated(("int64(1)", "int64(0)"))))
    assert "may call UpdatePod twice about a pod" in cut_off_in(with_handlers(release, translated((AGAIN, ""))))


# -- review ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edits", "code", "told"),
    [
        ([(" && podutil.IsPodPhaseTerminal(pod.Status.Phase) {", " {")], 1, "only_admitted_pods_get_a_worker"),
        ([(" || kl.podWorkers.IsPodTerminationRequested(pod.UID) {", " {")], 0, "2 claims gained: rejected_pods_are_"),
        ([(AGAIN, "")], 4, "may call UpdatePod twice about a pod"),
        ([(STATUSES, "")], 4, "does beyond these bounds is changed as well"),
    ],
)
def test_a_change_of_housekeeping_is_explored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, edits: list[Edit], code: int, told: str
) -> None:
    folder = tmp_path / "pkg" / "kubelet"
    folder.mkdir(parents=True)
    (folder / "pod_workers.go").write_text(WORKERS, encoding="utf-8")
    (folder / "kubelet_pods.go").write_text(SOURCE, encoding="utf-8")
    begin_repository(tmp_path)
    own = KnownCallers("own", "v1.36.3", modelled({"kubelet_pods.go": SOURCE}), {})
    monkeypatch.setattr(neighbours, "known_callers", lambda: (own,))
    (folder / "kubelet_pods.go").write_text(with_edits(SOURCE, *edits), encoding="utf-8")
    answer = run("review", "--repo", str(tmp_path), "--worktree", "--scenario", "rejected-after-restart")
    said = " ".join(answer.stdout.split())
    assert told in said, answer.output
    assert answer.exit_code == code, said


@pytest.mark.slow
def test_handlers_of_two_files_are_explored_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file alone is not worse in what the other one changes."""
    pods, loop = tmp_path / "kubelet_pods.go", tmp_path / "kubelet.go"
    events = EVENTS.read_text(encoding="utf-8")
    own = KnownCallers("own", "v1.36.3", modelled({"a.go": events, "b.go": SOURCE}), {})
    monkeypatch.setattr(go_files, "known_callers", lambda: (own,))
    same = [translated(), handlers_of(subject_of("v1.36.3", None), EVENTS, events, handlers_in(events))]
    unread = {name: one.unread_fingerprint(name) for one in same for name in one.names}
    monkeypatch.setattr(go_files, "UNREAD", unread)
    pods.write_text(with_edits(SOURCE, ("int64(1)", "int64(0)")), encoding="utf-8")
    loop.write_text(with_edits(events, (SKIP, "")), encoding="utf-8")
    answer = run("review", "v1.36.3", str(loop), str(pods), "--scenario", "static-pod-restart")
    said = " ".join(answer.stdout.split())
    assert answer.exit_code == 1, answer.output
    assert "changes_of_mirror_pods_reach_the_worker" in said and "DIFFERENT: HandlePodUpdates" in said, said
    assert "DIFFERENT: HandlePodCleanups, filterOutInactivePods" in said, said


def test_files_of_two_kubelets_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "kubelet_pods.go"
    other.write_text(SOURCE, encoding="utf-8")
    twice = run("review", "v1.36.3", str(FILE), str(other))
    assert twice.exit_code == 2 and "HandlePodCleanups is in two of these files" in twice.output
    alone = run("review", "v1.36.3", str(FILE), str(tmp_path / "gone.go"))
    assert alone.exit_code == 2 and "it cannot be read" in alone.output
    model = run("review", "v1.35", "v1.36.3", str(FILE))
    assert model.exit_code == 2 and "several files are compared with a release" in model.output
