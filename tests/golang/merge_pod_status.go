package status

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podutil "k8s.io/kubernetes/pkg/api/v1/pod"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
	statusutil "k8s.io/kubernetes/pkg/util/pod"
)

// mergePodStatus says what is written, as the kubelet's of 1.36 does.
func mergePodStatus(p *v1.Pod, theirs, ours v1.PodStatus, mayRun bool) v1.PodStatus {
	ends := podutil.IsPodPhaseTerminal(ours.Phase) && !podutil.IsPodPhaseTerminal(theirs.Phase)
	waits := ends && mayRun
	written := make([]v1.PodCondition, 0)
	for _, one := range theirs.Conditions {
		if kubetypes.PodConditionByKubelet(one.Type) {
			continue
		}
		written = append(written, one)
	}
	for _, one := range ours.Conditions {
		switch {
		case kubetypes.PodConditionByKubelet(one.Type):
			written = append(written, one)
		case one.Type == v1.DisruptionTarget && ends && !waits:
			since(&ours, &theirs, one.Type)
			if _, found := podutil.GetPodCondition(&ours, one.Type); found != nil {
				written = statusutil.ReplaceOrAppendPodCondition(written, found)
			}
		}
	}
	ours.Conditions = written
	ours.ResourceClaimStatuses = theirs.ResourceClaimStatuses
	if waits {
		ours.Phase = theirs.Phase
		ours.Reason = theirs.Reason
		ours.Message = theirs.Message
	}
	if !podutil.IsPodPhaseTerminal(ours.Phase) {
		return ours
	}
	if podutil.IsContainersReadyConditionTrue(ours) || podutil.IsPodReadyConditionTrue(ours) {
		pod := generatePodReadyConditionForTerminalPhase(p, &theirs, ours.Phase)
		containers := generateContainersReadyConditionForTerminalPhase(p, &theirs, ours.Phase)
		podutil.UpdatePodCondition(&ours, &pod)
		podutil.UpdatePodCondition(&ours, &containers)
	}
	return ours
}

// since sets the time of a condition: that of theirs if it says the same.
func since(ours, theirs *v1.PodStatus, which v1.PodConditionType) {
	_, mine := podutil.GetPodCondition(ours, which)
	if mine == nil {
		return
	}
	if _, before := podutil.GetPodCondition(theirs, which); before != nil && before.Status == mine.Status {
		mine.LastTransitionTime = before.LastTransitionTime
	} else {
		mine.LastTransitionTime = metav1.Now()
	}
}
