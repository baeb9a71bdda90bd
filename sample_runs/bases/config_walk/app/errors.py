"""Errors a person can act on."""


class ConfigError(Exception):
    """The configuration cannot be used."""
