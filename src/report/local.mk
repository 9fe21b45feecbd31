# Frames become conclusions.
