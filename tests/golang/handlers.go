// Handlers of the sync loop, written for podproof's tests: they do what those of kubelet 1.36.3 do, in other words.
package kubelet

import (
	"context"
	"fmt"
	"sort"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/klog/v2"

	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/kubelet/allocation"
	"k8s.io/kubernetes/pkg/kubelet/status"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	"k8s.io/kubernetes/pkg/kubelet/util/sliceutils"
)

func (kl *Kubelet) HandlePodAdditions(ctx context.Context, added []*v1.Pod) {
	var waiting []types.UID
	sort.Sort(sliceutils.PodsByCreationTime(added))
	for _, given := range added {
		kl.podManager.AddPod(given)
		pod, mirror, isMirror := kl.podManager.GetPodAndMirrorPod(given)
		if isMirror && pod == nil {
			continue
		}
		if isMirror {
			kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, MirrorPod: mirror, UpdateType: kubetypes.SyncPodUpdate})
			continue
		}
		hasEnded := podutil.IsPodPhaseTerminal(pod.Status.Phase)
		if !hasEnded && !kl.podWorkers.IsPodTerminationRequested(pod.UID) {
			fits, why, said := kl.allocationManager.AddPod(kl.GetActivePods(), pod)
			if !fits {
				kl.rejectPod(ctx, pod, why, said)
				continue
			}
			if _, isResized := kl.allocationManager.UpdatePodFromAllocation(pod); isResized {
				waiting = append(waiting, pod.UID)
			}
		}
		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, MirrorPod: mirror, UpdateType: kubetypes.SyncPodCreate})
	}
	for _, uid := range waiting {
		kl.allocationManager.PushPendingResize(uid)
	}
}

func (kl *Kubelet) rejectPod(ctx context.Context, pod *v1.Pod, why, said string) {
	failed := v1.PodStatus{Phase: v1.PodFailed, Reason: why, Message: "not here: " + said}
	kl.statusManager.SetPodStatus(klog.FromContext(ctx), pod, failed)
}

func (kl *Kubelet) HandlePodUpdates(ctx context.Context, changed []*v1.Pod) {
	now := kl.clock.Now()
	log := klog.FromContext(ctx)
	for _, given := range changed {
		last, _ := kl.podManager.GetPodByUID(given.UID)
		kl.podManager.UpdatePod(given)
		if utilfeature.DefaultFeatureGate.Enabled(features.InPlacePodVerticalScaling) && !kl.allocationManager.HasPodAllocatedResources(given.UID) {
			log.V(4).Info("left out", "uid", given.UID)
			continue
		}
		pod, mirror, isMirror := kl.podManager.GetPodAndMirrorPod(given)
		if isMirror && pod == nil {
			log.Info("no static pod", "mirror", klog.KObj(mirror))
			continue
		}
		if recordResizeOperations(last, pod) {
			if _, waits := kl.allocationManager.UpdatePodFromAllocation(pod); waits {
				kl.allocationManager.PushPendingResize(pod.UID)
			} else {
				kl.statusManager.ClearPodResizePendingCondition(pod.UID)
			}
		}
		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{UpdateType: kubetypes.SyncPodUpdate, Pod: pod, MirrorPod: mirror, StartTime: now})
	}
}

func (kl *Kubelet) HandlePodRemoves(ctx context.Context, gone []*v1.Pod) {
	log := klog.FromContext(ctx)
	for _, given := range gone {
		kl.podManager.RemovePod(given)
		kl.allocationManager.RemovePod(given.UID)
		pod, mirror, isMirror := kl.podManager.GetPodAndMirrorPod(given)
		if !isMirror {
			if problem := kl.deletePod(ctx, pod); problem != nil {
				log.V(2).Info("not deleted", "pod", klog.KObj(pod))
			}
			continue
		}
		if pod != nil {
			options := UpdatePodOptions{Pod: pod, MirrorPod: mirror, UpdateType: kubetypes.SyncPodUpdate}
			kl.podWorkers.UpdatePod(ctx, options)
		}
	}
	kl.allocationManager.RetryPendingResizes(allocation.TriggerReasonPodsRemoved)
}

func (kl *Kubelet) deletePod(ctx context.Context, pod *v1.Pod) error {
	if kl.sourcesReady.AllReady() {
		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, UpdateType: kubetypes.SyncPodKill})
		return nil
	}
	return fmt.Errorf("a source has not reported")
}

func (kl *Kubelet) HandlePodReconcile(ctx context.Context, reported []*v1.Pod) {
	retry := false
	for _, given := range reported {
		kl.podManager.UpdatePod(given)
		pod, mirror, isMirror := kl.podManager.GetPodAndMirrorPod(given)
		if isMirror && pod == nil {
			continue
		}
		if kl.allocationManager.HasPendingResizes() {
			retry = true
		}
		if status.NeedToReconcilePodReadiness(pod) {
			kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, MirrorPod: mirror, UpdateType: kubetypes.SyncPodSync})
		}
	}
	if retry {
		kl.allocationManager.RetryPendingResizes(allocation.TriggerReasonPodResized)
	}
}

func (kl *Kubelet) HandlePodSyncs(ctx context.Context, due []*v1.Pod) {
	for _, given := range due {
		pod, mirror, isMirror := kl.podManager.GetPodAndMirrorPod(given)
		if isMirror {
			continue
		}
		kl.podWorkers.UpdatePod(ctx, UpdatePodOptions{Pod: pod, MirrorPod: mirror, UpdateType: kubetypes.SyncPodSync})
	}
}
