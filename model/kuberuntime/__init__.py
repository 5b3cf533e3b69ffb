"""The kubelet's generic runtime manager. Go: pkg/kubelet/kuberuntime."""
