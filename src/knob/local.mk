# Tunables: sampled, set, restored.
