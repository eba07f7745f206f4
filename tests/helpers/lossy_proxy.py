"""A way to a store on which answers get lost: what was asked has been done, nobody hears of it."""

import random
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class LossyProxy:
    """Stands between clients and a store's socket; some answers end the connection instead."""

    def __init__(self, store: Path, socket_path: Path, losses: float, seed: int = 1) -> None:
        self.store = store
        self.path = socket_path
        self.losses = losses
        """Share of answers that are lost."""
        self.lost = 0
        self._chance = random.Random(seed)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(socket_path))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"unix://{self.path}"

    def _serve(self) -> None:
        """One client after the other is enough: a test has one."""
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:  # closed
                return
            with client, socket.socket(socket.AF_UNIX) as store:
                store.connect(str(self.store))
                self._pass_on(client, store)

    def _pass_on(self, client: socket.socket, store: socket.socket) -> None:
        while True:
            ready, _, _ = select.select([client, store], [], [])
            if client in ready:
                asked = client.recv(1 << 16)
                if not asked:
                    return
                store.sendall(asked)
            if store in ready:
                answer = store.recv(1 << 16)  # it is done
                if not answer:
                    return
                if self._chance.random() < self.losses:
                    self.lost += 1
                    return
                client.sendall(answer)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(20)


@contextmanager
def lossy_proxy(store: Path, socket_path: Path, losses: float) -> Iterator[LossyProxy]:
    proxy = LossyProxy(store, socket_path, losses)
    try:
        yield proxy
    finally:
        proxy.close()
