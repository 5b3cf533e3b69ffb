"""The claims about the pod worker, each with its meaning, kind and upstream source."""
