"""What is measured, how to run it, and the last figures: see README.md in this folder."""
