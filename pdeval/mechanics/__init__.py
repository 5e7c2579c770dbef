"""Small mechanics that many rooms use: arguments, registries, stretches of equals, equality, progress, whole files."""
