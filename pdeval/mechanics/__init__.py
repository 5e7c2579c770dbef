"""Small mechanics that many rooms use: arguments, registries, codes, stretches of equals, equality, progress."""
