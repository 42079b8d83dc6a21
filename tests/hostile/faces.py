"""Both clients behind one face, so that every test tries both: what is awaited there returns here."""

# ruff: noqa: ANN401 - a face can be of anything
import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

import skillsource
from typing_extensions import override

Connect = Callable[..., Any]
"""Takes what `connect` takes, and gives a client or the face of one."""


@contextmanager
def blocking() -> Iterator[Connect]:
    """Give `connect`, and close every client in the end."""
    clients: list[skillsource.Client] = []

    def connect(target: str, **options: Any) -> skillsource.Client:
        clients.append(skillsource.connect(target, **options))
        return clients[-1]

    try:
        yield connect
    finally:
        for client in clients:
            client.close()


@contextmanager
def asynchronous() -> Iterator[Connect]:
    """Give `connect_async` behind a face, and close every client in the end."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="asyncio-face")
    thread.start()
    faces: list[Face] = []

    def connect(target: str, **options: Any) -> Face:
        async def make() -> skillsource.AsyncClient:
            return skillsource.connect_async(target, **options)

        faces.append(Face(run(make()), run))
        return faces[-1]

    def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, loop).result()

    try:
        yield connect
    finally:
        for face in faces:
            face.close()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


class Face:
    """An object whose coroutines are run, and whose asynchronous iterators are iterated, elsewhere."""

    def __init__(self, behind: Any, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._behind = behind
        self._run = run

    def __getattr__(self, name: str) -> Any:
        return self._shown(getattr(self._behind, name))

    @override
    def __eq__(self, other: object) -> bool:
        return bool(self._behind == (other._behind if isinstance(other, Face) else other))

    __hash__ = None  # type: ignore[assignment] # faces are compared only

    def _shown(self, value: Any) -> Any:
        if inspect.isroutine(value):

            def call(*args: Any, **options: Any) -> Any:
                result = self._on_loop(value, args, options)
                return self._shown(self._run(result) if inspect.iscoroutine(result) else result)

            return call
        if isinstance(value, AsyncIterator):
            return _Iterated(value, self._run)
        if isinstance(value, skillsource.AsyncClient | skillsource.AsyncActiveSkill):
            return Face(value, self._run)
        return value

    def _on_loop(self, method: Callable[..., Any], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
        async def call() -> Any:
            return method(*args, **options)

        return self._run(call())


class _Iterated(Iterator[Any]):
    def __init__(self, items: AsyncIterator[Any], run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self._items = items
        self._run = run

    @override
    def __next__(self) -> Any:
        try:
            return self._run(self._next())
        except StopAsyncIteration:
            raise StopIteration from None

    async def _next(self) -> Any:
        return await anext(self._items)

    def close(self) -> None:
        """End the iterator."""
        self._run(self._items.aclose())  # type: ignore[attr-defined] # ours are asynchronous generators
