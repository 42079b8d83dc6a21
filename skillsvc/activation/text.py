"""The text of an activation: what a model reads to begin with a skill. Pure.

Lines of what the skill is, its inventory within a budget of its own, an empty line, the body. Where all of it does not
fit, the body is cut on a character boundary and a marker, counted inside the limit, says where to go on (P3).
"""

from dataclasses import dataclass
from itertools import accumulate

from skillsvc.domain.skill import Asset, Bundle, Skill

INVENTORY_MAX_BYTES = 8_000
_HEADING = "Assets (read them by name; they are not part of this text):"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActivationText:
    """A text, whether the body in it was cut, and the byte of the body at which it goes on; 0 where all is there."""

    text: str
    truncated: bool
    next_offset: int


def plain_text(bundle: Bundle, body: str, max_bytes: int) -> ActivationText:
    """Return the text of a skill in the form PLAIN, of at most `max_bytes` bytes."""
    head = "".join(line + "\n" for line in (*_lines(bundle.skill), *inventory(bundle.assets)))
    whole = f"{head}\n{body}"
    if len(whole.encode()) <= max_bytes:
        return ActivationText(text=whole, truncated=False, next_offset=0)
    encoded = body.encode()
    room = max_bytes - len(head.encode()) - 1 - len(_marker(len(encoded), len(encoded)).encode())
    end = max(room, 0)
    while end > 0 and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return ActivationText(
        text=f"{head}\n{encoded[:end].decode()}{_marker(end, len(encoded))}", truncated=True, next_offset=end
    )


def inventory(assets: tuple[Asset, ...]) -> tuple[str, ...]:
    """Return the lines of an inventory, within INVENTORY_MAX_BYTES, the last one saying how many are left out."""
    if not assets:
        return ()
    lines = [_HEADING, *(f"- {asset.name} ({asset.size} bytes)" for asset in assets)]
    sizes = list(accumulate(len(line.encode()) + 1 for line in lines))
    if sizes[-1] <= INVENTORY_MAX_BYTES:
        return tuple(lines)
    left_out = {at: f"- and {len(lines) - at} more; list the skill's assets to see them" for at in range(1, len(lines))}
    shown = max(at for at, line in left_out.items() if sizes[at - 1] + len(line) + 1 <= INVENTORY_MAX_BYTES)
    return (*lines[:shown], left_out[shown])


def _lines(skill: Skill) -> tuple[str, ...]:
    lines = [f"Skill: {skill.name}"]
    if skill.compatibility:
        lines.append(f"Compatibility: {skill.compatibility}")
    if skill.allowed_tools:
        lines.append(
            f"Tools its author suggests (advice; your permissions are as they were): {', '.join(skill.allowed_tools)}"
        )
    return tuple(lines)


def _marker(shown: int, total: int) -> str:
    return f"\n[cut: {shown} of {total} bytes of the body are shown; read it on from byte {shown}]"
