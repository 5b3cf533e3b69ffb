"""What ties the model to the real kubelet: the names of its Go code, and the traces recorded from it."""
