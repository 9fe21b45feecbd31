# A frame becomes a line of the log, and back.
