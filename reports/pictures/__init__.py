"""Diagrams: states, decisions and traces, in DOT, SVG, PNG and Mermaid."""
