"""The kernel's own walls around a tool: namespaces, Landlock, a system call filter, no rights.

Runs inside the process that is to be confined, before the program starts; stdlib only, and no module that is slow to
import (the launcher pays for each). Every function raises OSError when the kernel refuses: a tool never starts with
fewer walls than it was promised. Which walls this system has is asked once, by trying (`sandbox.walls`).

Numbers: Linux's asm/unistd, linux/landlock.h, linux/prctl.h, linux/sched.h, linux/mount.h and linux/seccomp.h.
"""

from __future__ import annotations

import ctypes
import os
import struct

ALLOWED_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
PROC = "/proc"
SCRATCH_ROOT = (
    PROC  # is a folder on every Linux and above nothing that a tool may see: it gets another one
)
NOBODY = 65534

_CLONE_NEWUSER = 0x10000000
_NAMESPACES = 0x00020000 | 0x08000000 | 0x20000000 | 0x40000000  # mount, IPC, process, network
_PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 4, 24, 38, 22
_MS_BIND, _MS_REC, _MS_PRIVATE, _MNT_DETACH = 4096, 16384, 1 << 18, 2
_ATTR_RDONLY, _ATTR_NOSUID = 1, 2
_ONLY_READ = 1 | 2 | 4 | 8  # read only, without setuid, devices and execution
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_MOUNT_SETATTR = 442
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446

# Rights on files by the Landlock version that knows them.
_READ = 0b1101  # execute, read a file, list a folder
_NOT_WRITTEN = 1 | 1 << 6 | 1 << 9 | 1 << 11  # execute, make devices and sockets
_ON_FILES = 0b1100000000000111  # execute, write, read, truncate, ioctl: all others are for folders
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 5: 16}
_TCP = 0b11  # bind, connect (version 4)
_SCOPES = 0b11  # abstract sockets, signals (version 6)

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long


def _checked(what: str, result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")
    return result


def _syscall(what: str, number: int, *arguments: int | bytes) -> int:
    passed = [
        ctypes.c_char_p(argument) if isinstance(argument, bytes) else ctypes.c_long(argument)
        for argument in arguments
    ]
    return _checked(what, _libc.syscall(ctypes.c_long(number), *passed))


def _prctl(what: str, *arguments: int) -> None:
    words = [ctypes.c_ulong(argument) for argument in (*arguments, 0, 0, 0, 0)[:5]]
    _checked(what, _libc.prctl(ctypes.c_int(arguments[0]), *words[1:]))


# ---- files: Landlock ------------------------------------------------------------------------------


def landlock_version() -> int:
    """The ABI version of this kernel's Landlock, 0 where there is none."""
    try:
        return _syscall("landlock", _LANDLOCK_CREATE, 0, 0, 1)
    except OSError:
        return 0


def ruleset(reads: list[str], writes: list[str]) -> int:
    """A descriptor of rules: read and execute below `reads`, write below `writes`, no TCP."""
    version = landlock_version()
    rights = (1 << max(bits for since, bits in _FILE_RIGHTS.items() if since <= version)) - 1
    attributes = struct.pack("QQQ", rights, _TCP, _SCOPES)
    size = 8 if version < 4 else 16 if version < 6 else 24
    rules = _syscall("landlock", _LANDLOCK_CREATE, attributes[:size], size, 0)
    for path in reads:
        _allow(rules, path, rights & _READ)
    for path in writes:
        _allow(rules, path, rights & ~_NOT_WRITTEN)
    for path in ALLOWED_DEVICES:
        _allow(rules, path, rights & 0b110)
    return rules


def allow_own_processes(rules: int) -> None:
    """Add to the rules that the /proc of `new_root` may be read."""
    _allow(rules, PROC, _READ)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if not os.path.isdir(path):
            rights &= _ON_FILES
        rule = struct.pack("=Qi", rights, place)
        _syscall(f"landlock {path}", _LANDLOCK_ADD, rules, 1, rule, 0)
    finally:
        os.close(place)


def no_new_privileges() -> None:
    """From here on no setuid program and no file capability gives this process anything."""
    _prctl("no_new_privs", _PR_SET_NO_NEW_PRIVS, 1)


def restrict(rules: int) -> None:
    """Live by the rules from here on, with every child."""
    _syscall("landlock", _LANDLOCK_RESTRICT, rules, 0)


# ---- system calls: seccomp ------------------------------------------------------------------------

# What no analyser needs, by x86-64 and arm64: sockets (also by io_uring), other processes' memory, namespaces and
# mounts, System V and POSIX message queues and shared memory, the kernel's keyrings, tracing and programs.
_REFUSED = {
    "socket": (41, 198),
    "connect": (42, 203),
    "accept": (43, 202),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept4": (288, 242),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "mount": (165, 40),
    "umount2": (166, 39),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
}
_CLONE, _CLONE3 = (56, 220), 435
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_KILL, _ERROR, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_EPERM, _ENOSYS = 1, 38


def can_filter() -> bool:
    """True where the filter below knows the machine's numbers."""
    return os.uname().machine in _AUDIT_ARCH


def filter_program() -> bytes:
    """The filter as BPF: `socket` and its like are refused with EPERM, a foreign ABI ends the process."""
    machine = os.uname().machine
    column = 0 if machine == "x86_64" else 1
    lines = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 1, 0, _AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, 0, 1, 0x40000000),  # x32 calls under the same architecture
        (_RETURN, 0, 0, _ERROR | _EPERM),
        (_EQUAL, 0, 1, _CLONE3),  # its flags cannot be read here: libc falls back to clone
        (_RETURN, 0, 0, _ERROR | _ENOSYS),
    ]
    for numbers in _REFUSED.values():
        lines += [(_EQUAL, 0, 1, numbers[column]), (_RETURN, 0, 0, _ERROR | _EPERM)]
    lines += [
        (_EQUAL, 0, 3, _CLONE[column]),
        (_LOAD, 0, 0, 16),
        (_ANY_BIT, 0, 1, _CLONE_NEWUSER),
        (_RETURN, 0, 0, _ERROR | _EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("=HBBI", *line) for line in lines)


def filter_calls(program: bytes) -> None:
    """Install the filter for this process and its children. Needs `no_new_privileges`."""
    kept = ctypes.create_string_buffer(program, len(program))
    form = struct.pack("HP", len(program) // 8, ctypes.addressof(kept))
    head = ctypes.create_string_buffer(form, len(form))
    _prctl("seccomp", _PR_SET_SECCOMP, 2, ctypes.addressof(head))


# ---- rights ---------------------------------------------------------------------------------------


def drop_rights(uid: int | None) -> None:
    """Become `uid`, which has no name and no group, and give up what capabilities could come back."""
    last = int(_read("/proc/sys/kernel/cap_last_cap") or 40) if os.geteuid() == 0 else -1
    for capability in range(last + 1):
        _libc.prctl(_PR_CAPBSET_DROP, ctypes.c_ulong(capability), 0, 0, 0)
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
    no_new_privileges()


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


# ---- namespaces -----------------------------------------------------------------------------------


def leave_namespaces(own_user: bool) -> None:
    """Go into new mount, IPC, process (for children) and network namespaces; with `own_user` as nobody in a new one."""
    uid, gid = os.geteuid(), os.getegid()
    flags = _NAMESPACES | (_CLONE_NEWUSER if own_user else 0)
    _checked("unshare", _libc.unshare(ctypes.c_int(flags)))
    if own_user:
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{NOBODY} {uid} 1")
        _write("/proc/self/gid_map", f"{NOBODY} {gid} 1")


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def new_root(reads: list[str], writes: list[str]) -> None:
    """Make a root that holds `reads` (read only), `writes`, a few devices and a /proc of its own, and nothing else."""
    os.umask(0o022)
    _mount("none", "/", "", _MS_REC | _MS_PRIVATE)
    _mount("tmpfs", SCRATCH_ROOT, "tmpfs", 0, "size=1m,mode=755")
    for path in [*reads, *writes, *ALLOWED_DEVICES]:
        if os.path.exists(path):
            _bring_in(path, _ATTR_NOSUID | (_ATTR_RDONLY if path in reads else 0))
    _show_own_processes(SCRATCH_ROOT + PROC)
    _attributes(SCRATCH_ROOT, _ATTR_RDONLY | _ATTR_NOSUID, 0)
    os.chdir(SCRATCH_ROOT)
    _syscall("pivot_root", _PIVOT_ROOT[os.uname().machine], b".", b".")
    _checked("umount", _libc.umount2(b".", _MNT_DETACH))
    os.chdir("/")


def _bring_in(path: str, attributes: int) -> None:
    real = os.path.realpath(path)
    inside = SCRATCH_ROOT + real
    if path != real and not os.path.lexists(SCRATCH_ROOT + path):
        os.makedirs(os.path.dirname(SCRATCH_ROOT + path), exist_ok=True)
        os.symlink(real, SCRATCH_ROOT + path)
    if os.path.isdir(real):
        os.makedirs(inside, exist_ok=True)
    elif not os.path.exists(inside):
        os.makedirs(os.path.dirname(inside), exist_ok=True)
        os.close(os.open(inside, os.O_CREAT | os.O_WRONLY, 0o644))
    _mount(real, inside, "", _MS_BIND | _MS_REC)
    _attributes(inside, attributes, _AT_RECURSIVE)


def _show_own_processes(place: str) -> None:
    """Mount the /proc of this process namespace: programs find their libraries by it, and count processors."""
    os.mkdir(place)
    try:
        _mount("proc", place, "proc", _ONLY_READ, "hidepid=4")
    except OSError:  # who hides parts of a container's /proc lets nobody in it mount another one
        os.rmdir(place)


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    words = (source.encode(), target.encode(), kind.encode() or None)
    done = _libc.mount(*words, ctypes.c_ulong(flags), data.encode() or None)
    _checked(f"mount {target}", done)


def _attributes(path: str, attributes: int, flags: int) -> None:
    wanted = struct.pack("QQQQ", attributes, 0, 0, 0)
    _syscall(
        f"mount_setattr {path}", _MOUNT_SETATTR, _AT_FDCWD, os.fsencode(path), flags, wanted, 32
    )
