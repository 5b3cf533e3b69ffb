#!/usr/bin/env bash
# Draws the pictures of the documentation anew.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
podproof check --scenario one-pod --property grace_period_only_decreases --report-dir "$folder" > "$folder/out.txt" || true
mkdir -p docs/images
cp "$folder"/*.svg docs/images/grace-period.svg
podproof diagram -o svg > docs/images/lifecycle.svg
