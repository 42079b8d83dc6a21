"""Stopping what takes long: whoever waits for others, or goes through much, asks now and then whether to go on."""


class Abandoned(Exception):
    """Something that was told to stop ended before it was over. Nothing of it stands."""


def never() -> bool:
    """Stop nothing."""
    return False
