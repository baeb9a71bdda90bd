"""Policies on whole runs: how the weights of the model-free manager were chosen, and what they reach on other runs."""
