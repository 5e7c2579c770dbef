"""Every table in and out: vocabularies, roles, recognition, and other frames to pandas."""
