"""Stage 4: the held context C_t as an inventory of records (section 3.2, Appendix E)."""
