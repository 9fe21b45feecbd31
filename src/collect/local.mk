# Kernel statistics become a sample.
