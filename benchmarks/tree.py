"""Trees of skills to measure with: the same files from the same numbers, of the sizes that public skills have."""

import hashlib
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_SEED = 20_260_101
_WORDS = (  # noqa: SIM905 - a hundred quoted words read no better
    "agent answer array branch browser build button cache change check client code column command commit config "
    "container context contract database default deploy diagram document draft edit endpoint error event example "
    "export field figure file filter folder form function handler header image import index input issue item job key "
    "label layout library license line link list log message method migration model module name network note object "
    "option order output package page parser patch path pattern plan point policy port preview process project prompt "
    "query queue read record reference release report request result review role rule schema script section server "
    "session setting shape skill slide source stage state step store stream style summary table task team template "
    "test text thread ticket title token tool topic trace tree type update user value version view window word write"
).split()


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeShape:
    """How many skills there are, how many assets each has, and how long a body is, in bytes.

    Without `exact_body` bodies differ in length by up to a fifth.
    """

    skills: int
    assets: int = 0
    body_bytes: int = 4_500
    exact_body: bool = False


def name_of(number: int) -> str:
    """Return the name of a skill, which is also its folder's."""
    return f"{_WORDS[number % len(_WORDS)]}-{_WORDS[number // len(_WORDS) % len(_WORDS)]}-{number:05d}"


def make_tree(folder: Path, shape: TreeShape) -> Path:
    """Write a tree into a folder that does not exist yet, and return the folder."""
    for number in range(shape.skills):
        chance = random.Random(_SEED + number)  # noqa: S311 - the same tree each time, no secret
        skill = folder / name_of(number)
        skill.mkdir(parents=True)
        length = shape.body_bytes
        if not shape.exact_body:
            length += chance.randint(-length // 5, length // 5)
        skill.joinpath("SKILL.md").write_text(_frontmatter(number, chance) + _body(number, length, chance) + "\n")
        for asset in range(shape.assets):
            if asset % 2:
                path, text = skill / "scripts" / f"run-{asset}.py", _script(chance)
            else:
                path, text = skill / "references" / f"notes-{asset}.md", _body(number, 6_000, chance)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return folder


def _frontmatter(number: int, chance: random.Random) -> str:
    """Six keys, and a description of the length that half of all public skills stay below."""
    return (
        "---\n"
        f"name: {name_of(number)}\n"
        f"description: {_sentence(chance, 18)} {_sentence(chance, 18)} Use when the user asks for a "
        f"{chance.choice(_WORDS)} or a {chance.choice(_WORDS)}.\n"
        "license: Apache-2.0\n"
        "compatibility: Needs a shell with git and Python 3.11 or newer\n"
        "allowed-tools: Read Grep Bash(git:*)\n"
        "metadata:\n"
        f"  author: team-{chance.choice(_WORDS)}\n"
        f'  version: "1.{number % 40}"\n'
        "---\n"
    )


def _body(number: int, length: int, chance: random.Random) -> str:
    """Markdown of exactly so many ASCII characters, beginning and ending with a letter."""
    parts = [f"# Skill {number}\n\n"]
    size = len(parts[0])
    for part in _parts(chance):
        parts.append(part)
        size += len(part)
        if size >= length:
            break
    return f"{''.join(parts)[: length - 1].rstrip():x<{length - 1}}x"


def _parts(chance: random.Random) -> Iterator[str]:
    while True:
        yield f"## {_sentence(chance, 4).removesuffix('.')}\n\n"
        yield " ".join(_sentence(chance, 12) for _ in range(4)) + "\n\n"
        yield "".join(f"{step}. {_sentence(chance, 9)}\n" for step in range(1, 6)) + "\n"
        yield f"```bash\n{chance.choice(_WORDS)} --{chance.choice(_WORDS)} {chance.choice(_WORDS)}.json\n```\n\n"
        yield "".join(f"- **{chance.choice(_WORDS)}**: {_sentence(chance, 8)}\n" for _ in range(3)) + "\n"


def _script(chance: random.Random) -> str:
    """Return a script of about 3 KB that no other skill has."""
    digest = hashlib.sha256(chance.randbytes(16)).hexdigest()
    lines = (f"    print({_sentence(chance, 9)!r})\n" for _ in range(40))
    return f'"""{digest}"""\n\n\ndef main() -> None:\n{"".join(lines)}'


def _sentence(chance: random.Random, words: int) -> str:
    return " ".join(chance.choices(_WORDS, k=words)).capitalize() + "."
