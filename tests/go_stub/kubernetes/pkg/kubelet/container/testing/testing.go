// Package testing has fakes of the runtime.
package testing

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/kubelet/container"
)

type FakeRuntime struct{}

type fakeCache struct{}

func NewFakeCache(*FakeRuntime) container.Cache { return fakeCache{} }

func (fakeCache) Get(uid types.UID) (*container.PodStatus, error) {
	return &container.PodStatus{ID: uid}, nil
}

func (c fakeCache) GetNewerThan(uid types.UID, _ time.Time) (*container.PodStatus, error) {
	return c.Get(uid)
}

func (fakeCache) Set(types.UID, *container.PodStatus, error, time.Time) bool { return false }
func (fakeCache) Delete(types.UID)                                           {}
func (fakeCache) UpdateTime(time.Time)                                       {}
