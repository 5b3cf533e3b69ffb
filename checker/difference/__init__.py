"""What differs between two versions of a system: their code, their steps, and what they show of their behaviour."""
