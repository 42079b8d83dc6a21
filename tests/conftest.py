"""How hard hypothesis looks: `quick` in `make check`, `thorough` in `make property`, the default elsewhere."""

from hypothesis import settings

settings.register_profile("default", max_examples=100, deadline=None)
settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=1_000, deadline=None)
settings.load_profile("default")
