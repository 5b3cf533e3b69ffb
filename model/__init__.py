"""The kubelet pod worker and its surroundings, in the model language; runs as plain Python."""
