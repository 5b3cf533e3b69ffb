"""What a comparison of two versions found out, as one page: its content, and that as text, Markdown, HTML and JSON."""
