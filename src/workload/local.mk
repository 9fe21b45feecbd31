# Makes I/O and counts it.
