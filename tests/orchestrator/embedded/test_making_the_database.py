"""A server that is too busy to make its database is told as that, and not as a bug."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from orchestrator.embedded.postgres_server import make_database
from shared.errors import EnvironmentFault
from shared.instance import Instance


def test_a_server_that_does_not_answer_in_time_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    instance = Instance.at(tmp_path)
    instance.run_dir.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(instance.postgres_socket))
        server.listen()
        with pytest.raises(EnvironmentFault, match=r"did not make its database \(timed out"):
            make_database(instance, timeout_s=0.1)
