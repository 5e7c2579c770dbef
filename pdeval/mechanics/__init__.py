"""Small mechanics that many rooms use: progress."""
