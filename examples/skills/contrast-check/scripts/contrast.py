#!/usr/bin/env python3
"""Print the WCAG 2 contrast ratio of a text colour on a background, and the levels that it passes."""

import argparse
import re
import sys
from collections.abc import Sequence

_LEVELS = (("AA", 4.5), ("AA-large", 3.0), ("UI", 3.0), ("AAA", 7.0), ("AAA-large", 4.5))
_HEX = re.compile(r"#?([0-9a-fA-F]{6}|[0-9a-fA-F]{3})\Z")

Colour = tuple[int, int, int]


def parse_colour(text: str) -> Colour:
    """Return red, green and blue, 0 to 255, of `#rgb` or `#rrggbb`; raises ValueError for any other text."""
    match = _HEX.match(text)
    if match is None:
        message = f"{text!r} is no colour: write #rgb or #rrggbb"
        raise ValueError(message)
    digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:], 16)


def luminance(colour: Colour) -> float:
    """Return the relative luminance, 0 for black to 1 for white."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4
        for share in (channel / 255 for channel in colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def ratio(first: Colour, second: Colour) -> float:
    """Return the contrast ratio, 1 to 21, whichever of the two is the text."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def reach(text: Colour, background: Colour, wanted: float) -> Colour | None:
    """Return the colour between `text` and black or white, whichever is nearer, that has the ratio; None if neither."""
    for step in range(256):
        for end in (0, 255):
            red, green, blue = (round(channel + (end - channel) * step / 255) for channel in text)
            if ratio((red, green, blue), background) >= wanted:
                return red, green, blue
    return None


def main(arguments: Sequence[str]) -> int:
    """Print what the arguments ask for; the result is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=parse_colour)
    parser.add_argument("background", type=parse_colour)
    parser.add_argument("--reach", type=float, metavar="RATIO", help="also print the nearest text colour that has it")
    options = parser.parse_args(arguments)
    found = ratio(options.text, options.background)
    passed = [level for level, smallest in _LEVELS if found >= smallest]
    # Cut, not rounded: a ratio that misses a level must never be shown as reaching it.
    sys.stdout.write(" ".join([f"{int(found * 100) / 100:.2f}", *passed]) + "\n")
    if options.reach is not None:
        nearest = reach(options.text, options.background, options.reach)
        sys.stdout.write("none\n" if nearest is None else "#{:02x}{:02x}{:02x}\n".format(*nearest))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
