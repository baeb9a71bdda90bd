"""The command: python -m app.main APP_SETTINGS SERVER_SETTINGS."""

import sys

from .server import start_server
from .settings import read_config


def init_app(path):
    """The application's name as people see it."""
    config = read_config(path)
    return config["name"].title()


def main(arguments):
    """Print what runs and where it listens."""
    print(init_app(arguments[0]), start_server(arguments[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
