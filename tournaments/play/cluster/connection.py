"""The connection to a Dask cluster. No other module of the director uses Dask, whose client has its own thread."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import trio
from distributed import Client, Future, Security

from referee.processes.message_channel import decode, encode
from tournaments.play.cluster import dask_task
from tournaments.play.cluster.dask_workers import CallFailed, ConnectionLost, ListedWorker, OnEnd
from tournaments.play.cluster.executor import Cluster
from tournaments.play.cluster.messages import FromMachine, SentTask
from tournaments.play.cluster.settings import scheduler_of
from tournaments.play.conditions import Conditions
from tournaments.play.events import Observer
from tournaments.play.executor import ExecutorError

CONNECT_TIMEOUT: Final = 10.0
"""Seconds until a scheduler counts as not reachable."""
CLIENT_CLOSE_TIMEOUT: Final = 5.0
LOGGERS: Final = ("distributed.client", "distributed.comm", "distributed.core", "distributed.batched")
"""Silenced: the referee reports lost connections in its own words."""


class DaskConnection:
    """A Connection to a Dask scheduler. `on_event` is called with what machines tell."""

    def __init__(self, client: Client, on_event: Callable[[FromMachine], None]) -> None:
        self._client = client
        self._token = trio.lowlevel.current_trio_token()
        self._on_event = on_event
        self._scheduler: str | None = None
        self.topic: str = client.id
        """Dask forgets what was logged under this name some time after the client has gone."""
        client.subscribe_topic(self.topic, self._receive)

    def _soon(self, function: Callable[..., object], *arguments: Any) -> None:
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(function, *arguments)

    def _receive(self, event: tuple[float, Any]) -> None:
        _, message = event
        if isinstance(message, bytes):  # Dask logs events of its own there
            for each in decode(message, tuple[FromMachine, ...]):
                self._soon(self._on_event, each)

    def play(self, task: SentTask, *, worker: str, on_end: OnEnd) -> Future[Any] | None:
        return self._submit(dask_task.play, encode(task), worker=worker, on_end=on_end)

    def _submit(self, function: Callable[..., Any], *arguments: Any, worker: str, on_end: OnEnd) -> Future[Any] | None:
        lost = ConnectionLost("the connection to the scheduler of the cluster was lost")
        try:
            future = self._client.submit(function, *arguments, workers=[worker], allow_other_workers=False, pure=False)
        except Exception:  # its own ClosedClientError: its thread may see the loss before `workers` does
            self._soon(on_end, lost)
            return None

        def ended(future: Future[Any]) -> None:
            # In a thread of Dask. What an exception holds can be unpickled only where its classes are known.
            problem: CallFailed | ConnectionLost | None = None
            if future.status == "error":
                try:
                    problem = CallFailed(repr(future.exception()))
                except Exception as error:
                    problem = CallFailed(repr(error))
            elif future.status != "finished":
                problem = lost
            self._soon(on_end, problem)

        future.add_done_callback(ended)
        return future

    async def call(self, function: Callable[..., bytes], *arguments: Any, worker: str, timeout: float) -> bytes:
        ended, ends = trio.open_memory_channel[CallFailed | ConnectionLost | None](1)
        future = self._submit(function, *arguments, worker=worker, on_end=ended.send_nowait)
        try:
            with trio.move_on_after(timeout) as waiting:
                problem = await ends.receive()
            if waiting.cancelled_caught:
                raise CallFailed(f"no answer within {timeout:g} s")
            if problem is not None or future is None:
                raise CallFailed(str(problem))
            try:
                result: bytes = await trio.to_thread.run_sync(future.result, timeout, abandon_on_cancel=True)
            except Exception as error:  # whatever Dask raises if the worker leaves at this moment
                raise CallFailed(repr(error)) from None
            return result
        finally:
            self.cancel(future)

    def cancel(self, future: Future[Any] | None) -> None:
        with suppress(Exception):  # the connection may be lost already
            if future is not None:
                future.release()

    async def workers(self, timeout: float) -> dict[str, ListedWorker]:
        def ask() -> Any:
            return self._client.sync(self._client.scheduler.identity, n_workers=-1, callback_timeout=timeout)

        lost = ConnectionLost("the scheduler of the cluster no longer answers")
        if self._client.status != "running":
            raise lost
        try:
            identity = await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
        except Exception:  # OSError, its own CommClosedError, a timeout, an attribute that is None by now
            raise lost from None
        if self._scheduler not in (None, identity["id"]):
            raise ConnectionLost("the scheduler of the cluster was restarted")
        self._scheduler = identity["id"]
        return dict(identity["workers"])


@asynccontextmanager
async def open_cluster(conditions: Conditions, observer: Observer) -> AsyncIterator[Cluster]:
    """An executor while the block runs. Raises ExecutorError if no scheduler answers."""
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)

    scheduler = scheduler_of(conditions)
    if scheduler.startswith("tls:") and Security().get_connection_args("client").get("ssl_context") is None:
        raise ExecutorError(
            f"{conditions.executor} needs certificates: say in the configuration of Dask which"
            " (distributed.comm.tls.ca-file, and cert and key of distributed.comm.tls.client)"
        )

    def connect() -> Client:
        return Client(scheduler, timeout=CONNECT_TIMEOUT, set_as_default=False, name="referee")

    try:
        client = await trio.to_thread.run_sync(connect)
    except Exception as error:  # OSError, TimeoutError, whatever TLS and Dask's configuration raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ExecutorError(f"no scheduler of Dask answers at {conditions.executor}: {reason}") from None
    cluster = Cluster(conditions, observer)
    try:
        cluster.connection = DaskConnection(client, cluster.receive)
        try:
            yield cluster
        finally:
            with trio.CancelScope(shield=True):
                await cluster.close()
                cluster.change.close()
    finally:
        with trio.CancelScope(shield=True), suppress(Exception):
            await trio.to_thread.run_sync(lambda: client.close(timeout=CLIENT_CLOSE_TIMEOUT))
