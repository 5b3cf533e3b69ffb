"""What machines and review pages read: JUnit, SARIF, GitHub annotations and Markdown, all written from `Finding`s."""
