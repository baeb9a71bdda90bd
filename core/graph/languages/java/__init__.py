"""Java: ``language`` reads one text into facts; ``link`` says what its scopes reach."""
