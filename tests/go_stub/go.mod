module k8s.io

go 1.19
