// Package container has what the runtime tells of a pod.
package container

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

type State string

const ContainerStateRunning State = "running"

type Status struct {
	State State
}

type PodStatus struct {
	ID                types.UID
	ContainerStatuses []*Status
}

type Pod struct {
	ID        types.UID
	Name      string
	Namespace string
}

type ROCache interface {
	Get(types.UID) (*PodStatus, error)
	GetNewerThan(types.UID, time.Time) (*PodStatus, error)
}

type Cache interface {
	ROCache
	Set(types.UID, *PodStatus, error, time.Time) (updated bool)
	Delete(types.UID)
	UpdateTime(time.Time)
}
