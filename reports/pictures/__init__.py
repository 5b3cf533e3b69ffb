"""Diagrams: states, decisions and traces, in DOT, SVG, PNG, Mermaid and PlantUML."""
