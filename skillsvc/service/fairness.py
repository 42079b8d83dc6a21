"""Fairness: no caller takes more of the server than its share, counted by principal, whatever projects it names.

Nothing here waits and nothing has a timer. A principal costs one entry of a table; the entry that was used longest ago
goes first, and never one that a call under way is counted on.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from skillsvc.domain.errors import ErrorReason, Exhausted
from skillsvc.domain.shares import Group, Rate, Shares

_PRINCIPALS: Final = 65_536
"""Principals that are remembered, of some 500 bytes each. More than that forget who has not called for longest."""
_ADDRESSES: Final = 4_096
_TRIED: Final = 8
"""Entries looked at to make room for one: those of calls under way stay."""
_GROUPS: Final = {group: number for number, group in enumerate(Group)}


class Account:
    """What one principal takes at the moment, and for each group when its burst is whole again."""

    __slots__ = ("calls", "principal", "waiting_bytes", "watches", "whole_at")

    def __init__(self, principal: str) -> None:
        """Begin with nothing taken."""
        self.principal = principal
        self.whole_at = [0.0] * len(_GROUPS)
        self.calls = 0
        self.watches = 0
        self.waiting_bytes = 0


class Turn:
    """One call under way. It ends when its answer is sent, or can be no more."""

    __slots__ = ("_account", "_bytes", "_most_bytes", "_watches")

    def __init__(self, account: Account, *, watches: bool, most_bytes: int) -> None:
        """Count one call more."""
        self._account = account
        self._bytes = 0
        self._most_bytes = most_bytes
        self._watches = watches
        if watches:
            account.watches += 1
        else:
            account.calls += 1

    def hold(self, size: int) -> None:
        """Count the bytes of the answer, which wait to be sent from now on.

        Raises:
            Exhausted: QUOTA_EXCEEDED where too many wait already, as those of a caller who asks and does not read.
        """
        account = self._account
        if account.waiting_bytes and account.waiting_bytes + size > self._most_bytes:
            raise _full(account, "waiting_bytes", self._most_bytes, "bytes of answers that wait to be read")
        account.waiting_bytes += size
        self._bytes = size

    def release(self) -> None:
        """Count what was held no more: it is sent, and the call goes on."""
        self._account.waiting_bytes -= self._bytes
        self._bytes = 0

    def end(self, _task: object = None) -> None:
        """Count it no more. Called once."""
        account = self._account
        account.waiting_bytes -= self._bytes
        if self._watches:
            account.watches -= 1
        else:
            account.calls -= 1


class Turnstile:
    """The turnstile of one group of calls: made once for each handler."""

    __slots__ = ("_fairness", "_index", "_most", "_most_bytes", "_rate", "_too_often", "_watches")

    def __init__(self, fairness: "Fairness", group: Group, shares: Shares) -> None:
        """Hold the callers of a group to their shares."""
        self._fairness = fairness
        self._index = _GROUPS[group]
        self._rate = shares.rate(group)
        self._too_often = _too_often(self._rate, group.value)
        self._watches = group is Group.WATCHES
        self._most = shares.watches if self._watches else shares.calls
        self._most_bytes = shares.waiting_bytes

    def enter(self, principal: str) -> Turn:
        """Let a call of a principal begin.

        Raises:
            Exhausted: RATE_LIMITED, with the time after which the next one fits; QUOTA_EXCEEDED where too many are
                under way. The call counts for nothing then.
        """
        account = self._fairness.account(principal)
        now = self._fairness.now()
        whole_at = account.whole_at[self._index]
        if (wait_s := self._rate.wait_s(whole_at, now)) > 0:
            raise self._too_often(wait_s, principal)
        if (account.watches if self._watches else account.calls) >= self._most:
            kind, what = ("watches", "watches open") if self._watches else ("calls", "calls under way")
            raise _full(account, kind, self._most, what)
        account.whole_at[self._index] = self._rate.taken(whole_at, now)
        return Turn(account, watches=self._watches, most_bytes=self._most_bytes)


class Fairness:
    """The accounts of all principals, and of addresses whose callers are nobody. Used by the event loop's thread alone.

    Operators and health are not counted: whoever looks after a server must reach it while others flood it.
    """

    def __init__(self, shares: Shares, now: Callable[[], float], *, principals: int = _PRINCIPALS) -> None:
        """Begin with nobody. `now` tells seconds of a clock that never goes back."""
        self.now = now
        self._shares = shares
        self._accounts: OrderedDict[str, Account] = OrderedDict()
        self._principals = principals
        self._strangers: OrderedDict[str, float] = OrderedDict()
        self._strange = Rate(shares.strangers_a_second, shares.strangers_burst)
        self._too_strange = _too_often(self._strange, "calls without a valid identity from this address")

    def turnstile(self, group: Group) -> Turnstile:
        """Return the turnstile of a group."""
        return Turnstile(self, group, self._shares)

    def account(self, principal: str) -> Account:
        """Return the account of a principal, from now on the one used last."""
        account = self._accounts.get(principal)
        if account is None:
            if len(self._accounts) >= self._principals:
                self._make_room()
            account = self._accounts[principal] = Account(principal)
        else:
            self._accounts.move_to_end(principal)
        return account

    def turn_away(self, address: str) -> None:
        """Count a call of nobody, by the address that it comes from.

        Whoever has a valid identity is never held to what others at the same address do.

        Raises:
            Exhausted: RATE_LIMITED where there are too many of them.
        """
        now = self.now()
        whole_at = self._strangers.get(address, now)
        if (wait_s := self._strange.wait_s(whole_at, now)) > 0:
            raise self._too_strange(wait_s, address)
        if address not in self._strangers and len(self._strangers) >= _ADDRESSES:
            self._strangers.popitem(last=False)
        self._strangers[address] = self._strange.taken(whole_at, now)
        self._strangers.move_to_end(address)

    def _make_room(self) -> None:
        """Forget who has not called for longest. Accounts with calls under way are no more than there are calls."""
        for _ in range(_TRIED):
            principal, account = next(iter(self._accounts.items()))
            if not account.calls and not account.watches:
                del self._accounts[principal]
                return
            self._accounts.move_to_end(principal)


def _too_often(rate: Rate, what: str) -> Callable[[float, str], Exhausted]:
    """Return what makes the refusals of a rate: of the seconds until the next call fits, and who is refused."""
    limit = f"{rate.a_second:g}"
    message = f"too many {what}: at most {limit} a second"
    metadata = {"limit": limit}

    def refusal(wait_s: float, subject: str) -> Exhausted:
        return Exhausted(ErrorReason.RATE_LIMITED, message, metadata=metadata, retry_after_s=wait_s, subject=subject)

    return refusal


def _full(account: Account, quota: str, limit: int, what: str) -> Exhausted:
    return Exhausted(
        ErrorReason.QUOTA_EXCEEDED,
        f"at most {limit} {what} are allowed at once",
        metadata={"quota": quota, "limit": str(limit)},
        subject=account.principal,
    )
