"""Stage 2: steps become repository states w_t, with a measured fidelity."""
