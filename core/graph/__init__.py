"""Stage 3: the symbol-level code graph Phi(t) = (V_t, E_t, b_t) of Eq. 5, updated per write."""
