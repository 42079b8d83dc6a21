"""From a request to use a skill to the text a model reads."""
