"""Stage 7: the manager, who settles nominations, evicts what is finished with and retrieves what comes next (3.3.3)."""
