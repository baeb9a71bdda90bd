"""Python: ``language`` reads one text into facts; ``link`` and ``rules`` say what its scopes reach."""
