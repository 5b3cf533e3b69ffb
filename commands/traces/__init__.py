"""Walks of the model: saved ones, recorded ones, and those that a person chooses step by step."""
