"""Whether an observation is one: what a source of any hand must not say, so that one alone suffers for it. Pure.

Sources written by others are as much outside as their skills are. What is checked here is what merging and publishing
stand on; what a skill may be is checked where it is read.
"""

from collections.abc import Iterator, Sequence

from skillsvc.domain.caps import fits_skill_name
from skillsvc.domain.diagnostics import Diagnostic
from skillsvc.domain.skill import Bundle, Found, Skill
from skillsvc.domain.trust import Tier, Trust, trust_of
from skillsvc.sources.source import Observation, Outcome


def fault_of(seen: object, label: str, known: Sequence[Found] = ()) -> str | None:
    """Return what is wrong with what a look at the source `label` returned, None where nothing is.

    `known` is what was sound before and is not looked at again.
    """
    return next(_faults(seen, label, known), None)


def _faults(seen: object, label: str, known: Sequence[Found]) -> Iterator[str]:
    """Yield what is wrong; each check takes what those before it asked for as given, so that the first alone counts."""
    if not isinstance(seen, Observation):
        yield "it returned no observation"
        return
    if seen.source != label:
        yield "it returned the observation of another source"
    if not (_is(seen.outcome, Outcome) and _is(seen.tier, Tier) and _is(seen.trust, Trust)):
        yield "its outcome, tier or trust is none"
    if seen.trust.value < trust_of(seen.tier).value:
        yield "it claims more trust than its tier gives"
    if not _is_text(seen.revision):
        yield "its revision is no text"
    if not _are_diagnostics(seen.diagnostics):
        yield "its diagnostics are none"
    if not _are(seen.found, Found):
        yield "what it found are no skills"
    if seen.found and seen.outcome not in {Outcome.WHOLE, Outcome.PARTIAL}:
        yield "it found skills where it saw nothing"
    if len({each.place for each in seen.found}) != len(seen.found):
        yield "it found two skills at one place"
    sound = set(map(id, known))
    yield from (fault for each in seen.found if id(each) not in sound for fault in _faults_of_found(each))


def _faults_of_found(found: Found) -> Iterator[str]:
    bundle = found.bundle
    if not (_is(bundle, Bundle) and _is(bundle.skill, Skill) and _is_name(bundle.skill.name)):
        yield "it found what is no bundle with a fit name"
    texts = (found.place, found.collection, found.collection_line, bundle.digest)
    if not (all(map(_is_text, texts)) and _are_diagnostics(found.diagnostics)):
        yield f"it found {bundle.skill.name} with something that is no text"


# What a source of another hand returns need not be what its types say, so that these ask of any object.
def _is(item: object, kind: type) -> bool:
    return isinstance(item, kind)


def _are(items: object, kind: type) -> bool:
    return isinstance(items, tuple) and all(isinstance(item, kind) for item in items)


def _are_diagnostics(items: object) -> bool:
    return isinstance(items, tuple) and all(
        _is(each, Diagnostic) and _is_text(each.message) and _is_text(each.skill) and _is_text(each.source)
        for each in items
    )


def _is_name(text: object) -> bool:
    return isinstance(text, str) and fits_skill_name(text)


def _is_text(text: object) -> bool:
    """Tell whether it can be written in UTF-8: half a surrogate pair cannot, in no log, answer or digest."""
    return isinstance(text, str) and (text.isascii() or not any("\ud800" <= each <= "\udfff" for each in text))
