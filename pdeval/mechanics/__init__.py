"""What many rooms use: arguments, registries, stretches, equality, progress, visible text, whole files."""
