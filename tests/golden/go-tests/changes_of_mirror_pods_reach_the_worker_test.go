// Tests of pkg/kubelet/kubelet.go, written by podproof from counterexamples. This file belongs beside
// kubelet_test.go and pod_workers_test.go, whose newTestKubeletExcludeAdmitHandlers and newNamedPod it uses, and
// beside held_workers_test.go and held_kubelet_test.go, which podproof writes too.

package kubelet

import (
	"testing"
)

// TestChangesOfMirrorPodsReachTheWorker takes the sync loop of v1.36.3 to where it breaks a claim:
//
//	changes_of_mirror_pods_reach_the_worker
//
// What goes wrong: the mirror pod of static is deleted, and UpdatePod is not called: static is not told.
//
// When a mirror pod is added, deleted or goes away, UpdatePod is called for its static pod, if that was admitted.
// Upstream: HandlePodUpdates and HandlePodAdditions: "Unable to find pod for mirror pod, skipping" is all they
// skip.
// Known: kubernetes/kubernetes#139522: HandlePodUpdates asks for the allocation of the mirror pod's own UID, which
// never has one; 1.36.3 does it: recorded; once the check is taken out it calls UpdatePod again.
//
// It expects what the release does: it passes there, and fails once a mend changes what it compares.
//
//	podproof check --version v1.36.3 --scenario static-pod-restart --property changes_of_mirror_pods_reach_the_worker
func TestChangesOfMirrorPodsReachTheWorker(t *testing.T) {
	w := newHeldKubelet(t, 1)

	// 1  sync loop: ADD static: admitted
	w.add(heldRequest(newNamedPod("static", "kube-system", "static-web", true)))
	w.expectCalls(1, "static: create")
	w.expect(1, "static", "static-web_kube-system", heldState{
		known: true, working: true, pending: "create", woken: true, waitingStatic: 1,
	})
	w.expectCaller(1, "static", "static-web_kube-system", heldCaller{managed: true, allocated: true, active: true})

	// 2  worker static: startPodSync
	w.receive("static", 1)
	w.expect(2, "static", "static-web_kube-system", heldState{
		known: true, working: true, started: true, active: "sync", startedStatic: true, at: "GetNewerThan",
	})

	// 3  worker static: podCache.GetNewerThan answers
	w.answer("static", 1, heldAnswer{})
	w.expect(3, "static", "static-web_kube-system", heldState{
		known: true, working: true, started: true, active: "sync", startedStatic: true, at: "SyncPod",
	})

	// 4  worker: SyncPod(static) makes the mirror pod anew (which calls no pod worker)

	// 5  sync loop: ADD of the mirror pod of static
	w.add(heldMirror(heldRequest(newNamedPod("static", "kube-system", "static-web", false)), 1))
	w.expectCalls(5, "static: update with the mirror pod")
	w.expect(5, "static", "static-web_kube-system", heldState{
		known: true, working: true, started: true, pending: "update", active: "sync", woken: true,
		startedStatic: true, at: "SyncPod",
	})
	w.expectCaller(5, "static", "static-web_kube-system", heldCaller{
		managed: true, allocated: true, active: true, mirrorPod: "the mirror pod",
	})

	// 6  sync loop: DELETE of the mirror pod of static
	w.update(heldMirror(heldRequest(heldDeleted(newNamedPod("static", "kube-system", "static-web", false), 30)), 1))
	w.expectCalls(6)
	w.expect(6, "static", "static-web_kube-system", heldState{
		known: true, working: true, started: true, pending: "update", active: "sync", woken: true,
		startedStatic: true, at: "SyncPod",
	})
	w.expectCaller(6, "static", "static-web_kube-system", heldCaller{
		managed: true, allocated: true, active: true, mirrorPod: "the mirror pod that is being deleted",
	})
}
