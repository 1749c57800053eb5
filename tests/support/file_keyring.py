"""A keyring back end that is a file, named in QUORATE_TEST_KEYRING; `fault` in its name makes it fail or hang.

For processes: PYTHONPATH=tests/support PYTHON_KEYRING_BACKEND=file_keyring.FileKeyring.
"""

import json
import os
import threading
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError


class FileKeyring(KeyringBackend):
    """Holds passwords as JSON in plain sight: for tests only."""

    priority = 0.1  # type: ignore[assignment] # keyring declares a class property

    def __init__(self, file: Path | None = None) -> None:
        super().__init__()
        self.file = file or Path(os.environ.get("QUORATE_TEST_KEYRING", ""))

    def get_password(self, service: str, username: str) -> str | None:
        return self._held().get(f"{service}\n{username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        held = self._held() | {f"{service}\n{username}": password}
        self.file.write_text(json.dumps(held))

    def delete_password(self, service: str, username: str) -> None:
        held = self._held()
        if held.pop(f"{service}\n{username}", None) is None:
            raise PasswordDeleteError("not found")
        self.file.write_text(json.dumps(held))

    def _held(self) -> dict[str, str]:
        return dict(json.loads(self.file.read_text())) if self.file.is_file() else {}


class LockedKeyring(FileKeyring):
    """Nobody unlocks it. Its error repeats what it was given, as a back end may."""

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked(f"locked, cannot keep {password}")

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("locked")


class SilentKeyring(FileKeyring):
    """Waits for somebody to unlock it."""

    def get_password(self, service: str, username: str) -> str | None:
        threading.Event().wait(60)
        return None
