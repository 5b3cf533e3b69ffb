"""Pages that are written as files: the report, and the generated parts of the documentation."""
