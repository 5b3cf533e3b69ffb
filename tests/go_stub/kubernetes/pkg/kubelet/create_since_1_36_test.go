//go:build since_1_36

package kubelet

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	containertest "k8s.io/kubernetes/pkg/kubelet/container/testing"
)

func createPodWorkers(_ klog.Logger) (*podWorkers, *containertest.FakeRuntime, map[types.UID][]syncPodRecord) {
	return newFakedPodWorkers()
}
