//go:build since_1_36

package kubelet

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	kubecontainer "k8s.io/kubernetes/pkg/kubelet/container"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

type podCache = kubecontainer.ROCache

type syncPodFnType func(ctx context.Context, updateType kubetypes.SyncPodType, pod *v1.Pod, mirrorPod *v1.Pod, podStatus *kubecontainer.PodStatus) (bool, func(), error)

func (f podSyncerFuncs) callSyncPod(ctx context.Context, update UpdatePodOptions, status *kubecontainer.PodStatus) (bool, error) {
	isTerminal, after, err := f.syncPod(ctx, update.UpdateType, update.Pod, update.MirrorPod, status)
	if after != nil {
		after()
	}
	return isTerminal, err
}

func (p *podWorkers) UpdatePod(_ context.Context, options UpdatePodOptions) { p.updatePod(options) }

func (p *podWorkers) SyncKnownPods(_ klog.Logger, desiredPods []*v1.Pod) map[types.UID]PodWorkerSync {
	return p.syncKnownPods(desiredPods)
}
