"""Random tables and files, the same question to pdeval and to others: `python -m tests.differential --seconds 60`."""
