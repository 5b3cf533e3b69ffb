"""Kubelet 1.20 and its surroundings: the pod worker before kubernetes/kubernetes#102344 gave it phases and a history.

`pod_workers` is the worker, `node` the function it calls and the containers, `kubelet` and `open` are the two
environments; `claims` says what has to hold of them, and `form` has the form of recorded traces.
"""
