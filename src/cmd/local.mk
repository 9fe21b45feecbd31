# Wiring: one file per command, and the one loop.
