"""Stage 6: actions on records and the maintained context they leave (Eq. 8)."""
