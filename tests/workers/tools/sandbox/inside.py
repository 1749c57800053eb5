"""What hostile code in a tool would try, as one program: prints a JSON object of attempt -> what came of it.

Run in the sandbox by the tests, and once without walls, so that an attempt that never works is noticed.
"""

import contextlib
import ctypes
import json
import os
import socket
import sys
from collections.abc import Callable

GIVEN = json.loads(sys.stdin.read())


def read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read(100)


def write(path: str) -> str:
    with open(path, "a", encoding="utf-8") as file:
        file.write("# mine\n")
    return "written"


def connect(kind: int, family: int, address: object) -> str:
    with socket.socket(family, kind) as client:
        client.settimeout(5)
        client.connect(address)  # type: ignore[arg-type]
        client.send(b"x")
    return "sent"


def signalled(pid: int) -> str:
    os.kill(pid, 0)
    return "reached"


def traced(pid: int) -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0x4206, pid, None, None) != 0:  # PTRACE_SEIZE, which does not stop it
        raise OSError(ctypes.get_errno(), "ptrace")
    return "attached"


def mounted() -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x10000000) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    return "a user namespace"


def ring() -> str:
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(512)
    if libc.syscall(425, 4, buffer) < 0:
        raise OSError(ctypes.get_errno(), "io_uring")
    return "a ring"


def no_new_privileges() -> str:
    if ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) == 1:
        raise PermissionError("no_new_privs is set")
    return "setuid programs count"


def capabilities() -> str:
    if os.getresuid() == (0, 0, 0):
        with contextlib.suppress(OSError):
            os.chown(GIVEN["scratch"], 12345, 12345)
            return "chown"
    raise PermissionError("none")


def descriptors() -> str:
    others = []
    for number in range(3, 64):
        with contextlib.suppress(OSError):
            os.fstat(number)
            others.append(number)
    if not others:
        raise PermissionError("none")
    return str(others)


TCP, UDP = socket.SOCK_STREAM, socket.SOCK_DGRAM
ATTEMPTS: dict[str, Callable[[], str]] = {
    "read home": lambda: read(GIVEN["home_file"]),
    "read shadow": lambda: read("/etc/shadow"),
    "read passwd": lambda: read("/etc/passwd"),
    "read password file": lambda: read(GIVEN["password_file"]),
    "read worker environment": lambda: read(f"/proc/{GIVEN['pid']}/environ"),
    "read worker command": lambda: read(f"/proc/{GIVEN['pid']}/cmdline"),
    "list home": lambda: str(os.listdir(GIVEN["home"])),
    "list temporary folder": lambda: str(os.listdir(GIVEN["temporary"])),
    "write home": lambda: write(GIVEN["home_file"]),
    "write temporary folder": lambda: write("/tmp/quorate-inside-test"),
    "write the interpreter's folder": lambda: write(os.path.join(sys.prefix, "pyvenv.cfg")),
    "connect unix": lambda: connect(TCP, socket.AF_UNIX, GIVEN["socket"]),
    "connect abstract": lambda: connect(TCP, socket.AF_UNIX, "\0" + GIVEN["abstract"]),
    "connect tcp": lambda: connect(TCP, socket.AF_INET, ("127.0.0.1", GIVEN["port"])),
    "send udp": lambda: connect(UDP, socket.AF_INET, ("127.0.0.1", GIVEN["port"])),
    "signal worker": lambda: signalled(GIVEN["pid"]),
    "trace worker": lambda: traced(GIVEN["pid"]),
    "new user namespace": mounted,
    "io_uring": ring,
    "setuid": no_new_privileges,
    "rights of root": capabilities,
    "descriptors": descriptors,
}

outcomes = {}
for name in GIVEN["attempts"]:
    child = os.fork()  # each by itself: one that changes the process does not change the next
    if child == 0:
        try:
            outcome = "allowed: " + ATTEMPTS[name]()
        except (OSError, ValueError) as error:
            outcome = f"refused: {error!r}"
        with open(os.path.join(GIVEN["scratch"], "outcome"), "w", encoding="utf-8") as file:
            file.write(outcome)
        os._exit(0)
    os.waitpid(child, 0)
    with open(os.path.join(GIVEN["scratch"], "outcome"), encoding="utf-8") as file:
        outcomes[name] = file.read()
sys.stdout.write(json.dumps(outcomes))
