"""The kubelet's own Go, read as a model: parsed, translated to the model language, and named by its own lines."""
