"""Documents, data and findings in the formats that people and machines read."""
