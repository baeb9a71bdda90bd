"""Replay, script: what a short Python script of a run does to files, by a small interpreter that runs nothing real."""
