# Frames become cells, keys become actions.
