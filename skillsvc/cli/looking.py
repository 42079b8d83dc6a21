"""Looking: all that keeps a server's catalog fresh, put together and run beside its answers.

The loop looks, the watches tell it of changes, and a reload replaces what both of them have.
"""

import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from skillsvc.catalog.current import Current
from skillsvc.catalog.in_use import PartitionsInUse
from skillsvc.catalog.kept_standing import KeptStanding
from skillsvc.catalog.refresh import Refresh
from skillsvc.catalog.refresh_loop import RefreshLoop
from skillsvc.catalog.sweep import BlobSweep
from skillsvc.cli.declaring import Declaration, Declaring
from skillsvc.cli.identifying import Identifying
from skillsvc.cli.making import Surroundings
from skillsvc.cli.reloading import Reloading, tell_sought
from skillsvc.cli.vouching import Vouching
from skillsvc.cli.watching import Watches
from skillsvc.content.blobs import BlobStore
from skillsvc.content.transport import Authorities
from skillsvc.domain.limits import Limits
from skillsvc.domain.partition import Partition, layer_id
from skillsvc.service.audit import Audit
from skillsvc.settings.settings import Settings
from skillsvc.settings.sought import seek
from skillsvc.sources.remote_blobs import RemoteBlobs

_SWEEP_EVERY = 30
"""How many times the time between two whole looks lies between two sweeps of the blobs that nothing names."""


class Looking:
    """The sources of a server, whoever looks at them, and the reloads that change them.

    Attributes:
        loop: What looks, and answers operators.
        in_use: What knows which partitions of templates are looked at.
        reloading: What reads the configuration anew.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        current: Current,
        blobs: BlobStore,
        remote: RemoteBlobs,
        limits: Limits,
        folder: Path,
        read_anew: Callable[[], Settings],
        identifying: Identifying,
        vouching: Vouching,
        audit: Audit,
        now: Callable[[], datetime],
    ) -> None:
        """Make and declare the sources of the settings; nothing is looked at yet.

        Args:
            settings: What is declared.
            current: Where it is published.
            blobs: Where the bytes go.
            remote: Where sources offer what they fetch on need.
            limits: The limits in force.
            folder: Each source has its state in a folder of its own below it.
            read_anew: Reads the settings again; raises SettingsRefused.
            identifying: Has identities taken anew at reloads.
            vouching: Has what the deployment vouches for taken anew at reloads.
            audit: Is told of reloads.
            now: The time.

        Raises:
            SettingsRefused: A source cannot be made.
            SkillsvcError: A layer cannot be opened.
        """
        stopping = threading.Event()

        def open_layer(partition: Partition) -> Refresh:
            current.open_layer(partition, now())
            return Refresh(
                current,
                partition,
                (),
                blobs=blobs,
                limits=limits,
                now=now,
                clock=time.monotonic,
                stopped=stopping.is_set,
                kept=KeptStanding(folder / f".standing.{layer_id(partition).hex()}"),
            )

        def borrow_layer(partition: Partition) -> Refresh:
            current.open_layer(partition, now(), held=True)
            return Refresh(
                current,
                partition,
                (),
                blobs=blobs,
                limits=limits,
                now=now,
                clock=time.monotonic,
                stopped=stopping.is_set,
                remembers=False,
            )

        self.loop = RefreshLoop(
            open_layer,
            borrow_layer=borrow_layer,
            sweep=BlobSweep(current, blobs=blobs, now=now, stopped=stopping.is_set),
            sweep_every_s=_SWEEP_EVERY * settings.server.poll_s,
            stopping=stopping,
            clock=time.monotonic,
            now=now,
            chance=random.SystemRandom().random,
        )
        self.in_use = PartitionsInUse(self.loop, current, idle_s=limits.partition_idle_s, clock=time.monotonic, now=now)
        surroundings = Surroundings(
            blobs=blobs,
            remote=remote,
            authorities=Authorities(),
            limits=limits,
            environment=os.environ,
            version=version("skillsvc"),
            stopped=stopping.is_set,
            clock=time.monotonic,
            tell=self.loop.tell,
        )
        self._declaring = Declaring(surroundings, folder)
        self._watches = Watches(self.loop.tell)
        self.reloading = Reloading(
            settings,
            read=read_anew,
            seek=lambda again: seek(again, os.environ),
            declaring=self._declaring,
            replace=self._replace,
            identifying=identifying,
            vouching=vouching,
            audit=audit,
        )
        self._first = self._declare_first(settings)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Look, let go, watch and take in reloads, each in a thread of its own."""
        looks = threading.Thread(target=self.loop.run, name="refresh", daemon=True)
        reloads = threading.Thread(target=self.reloading.run, name="reload", daemon=True)
        over = threading.Event()
        lets_go = threading.Thread(target=self.in_use.run, args=(over,), name="idle", daemon=True)
        looks.start()
        lets_go.start()
        try:
            with self._watches:
                self._watches.replace(self._first.directories())
                # From now on nobody but the reloads changes the watches.
                reloads.start()
                try:
                    yield
                finally:
                    self.reloading.stop()
        finally:
            over.set()
            self.loop.stop()
            lets_go.join()
            looks.join()

    def close(self) -> bool:
        """Let go of the sources once nothing runs any more; False where a look hangs and uses what it was given."""
        if self.loop.is_looking:
            return False
        self._declaring.close()
        return True

    def _declare_first(self, settings: Settings) -> Declaration:
        sought = seek(settings, os.environ)
        tell_sought(sought)
        declaration = self._declaring.declare(sought, settings.server.poll_s)
        self.in_use.replace(declaration.declared, declaration.templates)
        self._declaring.put_in_force(declaration)
        self._declaring.remove_left_behind()
        return declaration

    def _replace(self, declaration: Declaration) -> None:
        self.in_use.replace(declaration.declared, declaration.templates)
        self._watches.replace(declaration.directories())
