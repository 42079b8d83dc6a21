"""The admin calls about which skills are on, and for whom."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import datetime

from skillsource.v1 import admin_pb2 as pb

from skillsvc.catalog.enablements import Enablements
from skillsvc.domain.enablement import Enablement, State, Word
from skillsvc.domain.errors import DataLoss, Unavailable
from skillsvc.domain.partition import DEPLOYMENT, Partition
from skillsvc.service import wire
from skillsvc.service.admin_pages import SEPARATOR, Pages, joined
from skillsvc.service.admin_scope import AdminScope
from skillsvc.service.audit import Audit
from skillsvc.service.call import Call
from skillsvc.service.enablement_requests import STATES, SetAsk, WordsAsk
from skillsvc.service.threads import Threads

_NUMBERS = {state: number for number, state in STATES.items()}


class EnablementAdmin:
    """The handlers of SetEnablement and ListEnablement. Lives on the event loop."""

    def __init__(
        self,
        *,
        scope: AdminScope,
        enablements: Enablements,
        pages: Pages,
        threads: Threads,
        audit: Audit,
        now: Callable[[], datetime],
    ) -> None:
        """Change `enablements` in `threads`, in the phase of `scope`, and tell `audit` of each name."""
        self._scope = scope
        self._enablements = enablements
        self._pages = pages
        self._threads = threads
        self._audit = audit
        self._now = now

    async def set_enablement(self, ask: SetAsk, call: Call) -> bytes:
        """Answer SetEnablement."""
        self._scope.check_phase()

        def say() -> tuple[str, ...]:
            return self._enablements.say(ask.audience, ask.names, ask.state, self._now())

        partition = ask.audience.partition
        try:
            changed = await self._threads.run(say)
        except (Unavailable, DataLoss) as error:
            if ask.state is State.DISABLED:
                # Off all the same, until the process ends.
                for name in ask.names:
                    self._audit.unkept(
                        "SetEnablement", error.reason.value, call.actor, partition=partition, what=_what(ask, name)
                    )
            raise
        for name in changed:
            self._audit.allowed("SetEnablement", call.actor, partition=partition, what=_what(ask, name))
        return pb.SetEnablementResponse(changed=changed).SerializeToString()

    async def list_enablement(self, ask: WordsAsk, call: Call) -> bytes:
        """Answer ListEnablement."""
        self._scope.check_phase()
        words = await self._threads.run(lambda: _words_for(ask, self._enablements.present))
        start = 0
        if ask.page.token:
            session, name = self._pages.position(ask.page, call).last_name.split(SEPARATOR)
            start = bisect_right(words, (session, name), key=lambda word: _place(word, ask))
        page = self._pages.page(
            words, start, ask.page.size, lambda word: pb.ListEnablementResponse(words=[_told(word)])
        )
        rest = pb.ListEnablementResponse(total_size=len(words))
        end = start + len(page)
        if end < len(words):
            last = SEPARATOR.join(_place(words[end - 1], ask))
            rest.next_page_token = self._pages.next_token(ask.page, call, last)
        return joined(page, rest)


def _words_for(ask: WordsAsk, said: Enablement) -> Sequence[Word]:
    """Return what is asked for, in order: the words to a partition by label and name, those that decide by name."""
    audience = ask.audience
    if ask.deciding:
        deciding = said.decisive(said.audiences(audience.partition, audience.session))
        return [word for _name, word in sorted(deciding.items())]
    words = said.said_for(audience.partition)
    return [word for word in words if audience.session in {"", word.audience.session}]


def _place(word: Word, ask: WordsAsk) -> tuple[str, str]:
    return ("" if ask.deciding else word.audience.session), word.name


def _told(word: Word) -> pb.EnablementWord:
    return pb.EnablementWord(
        partition=_partition(word.audience.partition),
        session=word.audience.session,
        name=word.name,
        state=_NUMBERS[word.state],
        set_at=wire.timestamp(word.set_at),
    )


def _partition(partition: Partition) -> pb.Partition:
    if partition == DEPLOYMENT:
        return pb.Partition(deployment=True)
    return pb.Partition(principal=partition.principal, project=partition.project)


def _what(ask: SetAsk, name: str) -> str:
    """Return what an audit line says of a name."""
    said = f"{name} {ask.state.name.lower()}"
    return f"{said} for {ask.audience.session}" if ask.audience.session else said
