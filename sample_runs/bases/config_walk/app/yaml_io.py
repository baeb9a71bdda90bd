"""A small part of YAML: one `key: value` a line."""


def load(path):
    """The mapping at path; every value is text."""
    values = {}
    with open(path, encoding="utf-8") as handle:
        for line in handle:
            key, colon, value = line.partition(":")
            if colon:
                values[key.strip()] = value.strip()
    return values
