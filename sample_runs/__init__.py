"""Recorded runs and base trees written for this project, and the recorder that makes them (README.md)."""
