"""A simulated TraceBench: sessions of a reference-driven agent over SWE-EVO instances, labelled without our graph.

Nobody ran anything here: the agent is a program that knows the reference patch. See README.md.
"""
