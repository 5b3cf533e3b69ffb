"""Pages that are written as files: the report, and the review of a change."""
