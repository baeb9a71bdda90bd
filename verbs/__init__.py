"""The verbs of the command line, one file a group; ``cli.py`` is the way in."""
