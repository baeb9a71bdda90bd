"""Go: ``language`` and ``mod`` read one text into facts; ``link`` says what its scopes reach."""
