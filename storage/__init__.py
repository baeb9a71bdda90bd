"""Stage 8: analyses kept in a database, and the questions pages ask of it."""
