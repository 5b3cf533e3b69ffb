"""What writes the generated pages of the documentation; `docs/refresh.sh` runs all of it."""
