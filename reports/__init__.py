"""A result in; text, pictures and files out."""
