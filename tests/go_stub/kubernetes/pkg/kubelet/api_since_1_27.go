//go:build !since_1_36

package kubelet

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

type podCache = kubecontainer.Cache

type syncPodFnType func(ctx context.Context, updateType kubetypes.SyncPodType, pod *v1.Pod, mirrorPod *v1.Pod, podStatus *kubecontainer.PodStatus) (bool, error)

func (f podSyncerFuncs) callSyncPod(ctx context.Context, update UpdatePodOptions, status *kubecontainer.PodStatus) (bool, error) {
	return f.syncPod(ctx, update.UpdateType, update.Pod, update.MirrorPod, status)
}

func (p *podWorkers) UpdatePod(options UpdatePodOptions) { p.updatePod(options) }

func (p *podWorkers) SyncKnownPods(desiredPods []*v1.Pod) map[types.UID]PodWorkerSync {
	return p.syncKnownPods(desiredPods)
}
