// Package types has the kinds of updates, and where a pod comes from.
package types

import v1 "k8s.io/api/core/v1"

type SyncPodType int

const (
	SyncPodSync SyncPodType = iota
	SyncPodUpdate
	SyncPodCreate
	SyncPodKill
)

func (t SyncPodType) String() string {
	return []string{"sync", "update", "create", "kill"}[t]
}

const (
	ConfigSourceAnnotationKey = "kubernetes.io/config.source"
	FileSource                = "file"
)

func IsStaticPod(pod *v1.Pod) bool {
	return pod.Annotations[ConfigSourceAnnotationKey] == FileSource
}
