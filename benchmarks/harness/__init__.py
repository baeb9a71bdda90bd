"""What the harness's own rules are worth, measured."""
