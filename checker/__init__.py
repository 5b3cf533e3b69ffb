"""The engine: explores a transition system and says which properties hold. Knows neither model nor claims."""
