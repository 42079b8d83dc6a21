"""From observations to the generation that is served, and to those who watch it."""
