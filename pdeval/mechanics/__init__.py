"""What many rooms use: arguments, registries, codes, stretches, equality, progress, visible text, whole files."""
