#!/usr/bin/env bash
# Draws the pictures of the documentation anew.
set -euo pipefail
cd "$(dirname "$0")/.."
export PODPROOF_PLACES=functions  # Line numbers would not stay true.
folder=$(mktemp -d)
podproof check --version v1.29 --scenario deleted-and-killed --property grace_period_only_decreases --report-dir "$folder" > "$folder/out.txt" || true
mkdir -p docs/images
cp "$folder"/*.svg docs/images/grace-period.svg
podproof diagram --version v1.29 -o svg > docs/images/lifecycle.svg
podproof diagram --check --write docs/lifecycle.md docs/termination.md docs/diagrams.md
podproof review v1.26 v1.27.0 --scenario one-pod -o svg > docs/images/change.svg || true
python -m docs.make.history docs
python -m docs.make.reference docs/reference
python -m docs.make.console README.md docs/ci.md docs/counterexamples.md docs/terminal.md docs/tutorial.md
for example in docs/examples/*.py; do
    # 1: they differ, as they should.
    podproof review v1.35 "$example" -o markdown --output-file "${example%.py}.md" 2> "$folder/err.txt" || test $? = 1
done
