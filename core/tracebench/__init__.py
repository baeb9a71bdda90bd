"""Stage 7: TraceBench, held against needed context at every decision point (section 3.1, Appendix E)."""
