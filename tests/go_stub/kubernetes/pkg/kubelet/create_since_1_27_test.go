//go:build !since_1_36

package kubelet

import (
	"k8s.io/apimachinery/pkg/types"
	containertest "k8s.io/kubernetes/pkg/kubelet/container/testing"
)

func createPodWorkers() (*podWorkers, *containertest.FakeRuntime, map[types.UID][]syncPodRecord) {
	return newFakedPodWorkers()
}
