"""Stage 5: the tape logs what each write drifted and nominates the records it could have falsified."""
