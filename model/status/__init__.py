"""The status manager and what it decides by. Go: pkg/kubelet/status."""
