"""The command line, which is also the composition root."""
