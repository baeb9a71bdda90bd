"""Stage 8: analyses kept in a database, and the questions pages ask of it."""

import os

# Read by Arrow when it is first used: its own allocator keeps what was given back to it, twice what the rows take.
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
