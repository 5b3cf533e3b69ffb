package kubelet

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	containertest "k8s.io/kubernetes/pkg/kubelet/container/testing"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

type syncPodRecord struct{}

type ignoringQueue struct{}

func (ignoringQueue) GetWork() []types.UID             { return nil }
func (ignoringQueue) Enqueue(types.UID, time.Duration) {}

func newFakedPodWorkers() (*podWorkers, *containertest.FakeRuntime, map[types.UID][]syncPodRecord) {
	runtime := &containertest.FakeRuntime{}
	workers := newPodWorkers(podSyncerFuncs{}, ignoringQueue{}, containertest.NewFakeCache(runtime))
	return workers, runtime, map[types.UID][]syncPodRecord{}
}

func newNamedPod(uid, namespace, name string, isStatic bool) *v1.Pod {
	seconds := int64(30)
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), Namespace: namespace, Name: name}}
	pod.Spec.TerminationGracePeriodSeconds = &seconds
	if isStatic {
		pod.Annotations = map[string]string{kubetypes.ConfigSourceAnnotationKey: kubetypes.FileSource}
	}
	return pod
}
