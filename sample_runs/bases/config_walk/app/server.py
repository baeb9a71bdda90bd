"""Where the server listens."""

from .config import load_config


def start_server(path):
    """The address the server listens on."""
    config = load_config(path)
    return f"{config['host']}:{config['port']}"
