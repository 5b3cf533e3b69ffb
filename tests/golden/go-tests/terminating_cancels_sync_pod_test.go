// Tests of pkg/kubelet/pod_workers.go, written by podproof from counterexamples. This file belongs beside
// pod_workers_test.go, whose newNamedPod it uses, and held_workers_test.go, which podproof writes too.

package kubelet

import (
	"testing"

	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

// TestTerminatingCancelsSyncPod takes the pod worker of v1.29 to where it breaks a claim:
//
//	terminating_cancels_sync_pod
//
// What goes wrong: web is asked to terminate and the context of its SyncPod is live.
//
// The context of a SyncPod under way is cancelled when its pod is asked to terminate.
// Upstream: cancelFn in UpdatePod, called when a pod becomes terminating.
// Known: no upstream issue found; SyncKnownPods terminates an orphan without cancelling its sync; 1.29.6 and
// 1.32.10 do it: the Go test that is made of the trace passes there.
//
// It expects what the release does: it passes there, and fails once that is mended.
//
//	podproof check --version v1.29 --scenario one-pod-restart --property terminating_cancels_sync_pod
func TestTerminatingCancelsSyncPod(t *testing.T) {
	w := newHeldWorkers(t)

	// 1  kubelet restarts
	w.restart()

	// 2  sync loop: ADD web: admitted
	w.UpdatePod(UpdatePodOptions{
		UpdateType: kubetypes.SyncPodCreate,
		Pod:        newNamedPod("web", "default", "web", false),
	})
	w.expect(2, "web", "web_default", heldState{known: true, working: true, pending: "create", woken: true})

	// 3  worker web: startPodSync
	w.receive("web", 1)
	w.expect(3, "web", "web_default", heldState{
		known: true, working: true, started: true, active: "sync", at: "GetNewerThan",
	})

	// 4  worker web: podCache.GetNewerThan answers
	w.answer("web", 1, heldAnswer{})
	w.expect(4, "web", "web_default", heldState{
		known: true, working: true, started: true, active: "sync", at: "SyncPod",
	})

	// 5  sync loop: REMOVE web (which calls no pod worker)

	// 6  sync loop: all sources ready (which calls no pod worker)

	// 7  housekeeping: SyncKnownPods
	w.SyncKnownPods(nil)
	w.expect(7, "web", "web_default", heldState{
		known: true, working: true, started: true, terminating: true, deleted: true, gracePeriod: 30,
		pending: "sync", active: "sync", woken: true, at: "SyncPod",
	})
}
