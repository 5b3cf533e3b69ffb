// Package v1 has what a pod worker reads of a pod.
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type PodPhase string

const (
	PodSucceeded PodPhase = "Succeeded"
	PodFailed    PodPhase = "Failed"
)

type PodSpec struct {
	TerminationGracePeriodSeconds *int64
}

type PodStatus struct {
	Phase PodPhase
}

type Pod struct {
	metav1.ObjectMeta
	Spec   PodSpec
	Status PodStatus
}
