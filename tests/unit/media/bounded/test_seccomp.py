"""The system call filter, run through a small interpreter of the kernel's filter language, for both architectures."""

from __future__ import annotations

import errno

import pytest

from eyeline.media.bounded.seccomp import OWN_PID, FilterProgram
from eyeline.media.bounded.syscalls import NUMBERS

MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
ALLOW, KILL = 0x7FFF0000, 0x80000000
REFUSED, ABSENT = 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
BOTH = pytest.mark.parametrize("machine", MACHINES)

# numbers of calls that are in no table of ours, from the kernel's headers
FORBIDDEN = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, None),
    "vfork": (58, None),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "kill": (62, 129),
    "tkill": (200, 130),
    "pidfd_send_signal": (424, 424),
    "rt_sigqueueinfo": (129, 138),
    "io_uring_setup": (425, 425),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "mount": (165, 40),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "chroot": (161, 51),
    "reboot": (169, 142),
    "init_module": (175, 105),
    "memfd_create": (319, 279),
    "shmget": (29, 194),
    "setrlimit": (160, 164),
    "seccomp": (317, 277),
    "unlinkat": (263, 35),
    "renameat2": (316, 276),
    "mkdirat": (258, 34),
    "sched_setaffinity": (203, 122),
}


def decide(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter answers to a call."""
    words = {0: number, 4: MACHINES[machine][1] if architecture is None else architecture}
    for index, argument in enumerate(arguments):
        words[16 + 8 * index] = argument & 0xFFFFFFFF
        words[20 + 8 * index] = argument >> 32 & 0xFFFFFFFF
    program = FilterProgram(machine).instructions
    at, value = 0, 0
    while True:
        operation, jump, otherwise, operand = program[at]
        at += 1
        if operation == 0x20:
            value = words.get(operand, 0)
        elif operation == 0x54:
            value &= operand
        elif operation == 0x15:
            at += jump if value == operand else otherwise
        elif operation == 0x35:
            at += jump if value >= operand else otherwise
        else:
            assert operation == 0x06
            return operand


def number_of(machine: str, name: str) -> int:
    number = NUMBERS[name][MACHINES[machine][0]]
    assert number is not None
    return number


@BOTH
def test_a_call_of_another_architecture_ends_the_process(machine: str) -> None:
    assert decide(machine, number_of(machine, "read"), architecture=0x40000003) == KILL


def test_the_second_numbering_of_x86_64_ends_the_process() -> None:
    assert decide("x86_64", 0x40000000 | number_of("x86_64", "read")) == KILL


@BOTH
def test_reading_writing_memory_and_threads_go_through(machine: str) -> None:
    for name in ("read", "write", "pread64", "mmap", "munmap", "futex", "exit_group", "getrandom", "close"):
        assert decide(machine, number_of(machine, name)) == ALLOW, name


@BOTH
@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_reaches_out_of_the_process_is_refused(machine: str, name: str) -> None:
    number = FORBIDDEN[name][MACHINES[machine][0]]
    assert number is None or decide(machine, number, 0, 0, 0) == REFUSED


@BOTH
def test_threads_may_start_and_processes_and_namespaces_may_not(machine: str) -> None:
    clone = number_of(machine, "clone")
    assert decide(machine, clone, 0x3D0F00) == ALLOW  # what the C library asks for a thread
    assert decide(machine, clone, 0x01200011) == REFUSED  # and for a fork
    assert decide(machine, clone, 0x3D0F00 | 0x10000000) == REFUSED  # a user namespace
    assert decide(machine, number_of(machine, "clone3")) == ABSENT


@BOTH
def test_files_open_for_reading_only(machine: str) -> None:
    openat = number_of(machine, "openat")
    assert decide(machine, openat, 0, 0, 0o2000000) == ALLOW
    for flags in (1, 2, 0o100, 0o1000, 0o20200000):
        assert decide(machine, openat, 0, 0, flags) == REFUSED, oct(flags)
    assert decide(machine, number_of(machine, "openat2")) == ABSENT


@BOTH
def test_a_process_may_signal_itself_only(machine: str) -> None:
    assert OWN_PID in {each[3] for each in FilterProgram(machine).instructions}
    assert decide(machine, number_of(machine, "tgkill"), 4711, 4711, 6) == REFUSED


@BOTH
def test_limits_can_be_read_and_not_set(machine: str) -> None:
    prlimit = number_of(machine, "prlimit64")
    assert decide(machine, prlimit, 0, 9, 0, 0x7F00_0000_0000) == ALLOW
    assert decide(machine, prlimit, 0, 9, 0x7F00_0000_0000, 0) == REFUSED
    assert decide(machine, prlimit, 1, 9, 0, 0x7F00_0000_0000) == REFUSED


@BOTH
def test_the_way_out_of_the_sandbox_by_prctl_is_shut(machine: str) -> None:
    prctl = number_of(machine, "prctl")
    assert decide(machine, prctl, 15) == ALLOW
    for option in (1, 4, 22, 38):
        assert decide(machine, prctl, option) == REFUSED, option


@BOTH
def test_descriptors_cannot_be_made_to_signal_others_nor_terminals_to_type(machine: str) -> None:
    assert decide(machine, number_of(machine, "fcntl"), 3, 3) == ALLOW
    for command in (8, 10, 15, 1024, 1026):
        assert decide(machine, number_of(machine, "fcntl"), 3, command) == REFUSED, command
    assert decide(machine, number_of(machine, "ioctl"), 3, 0x5401) == ALLOW
    assert decide(machine, number_of(machine, "ioctl"), 3, 0x5412) == REFUSED


@BOTH
def test_a_call_that_is_newer_than_the_table_looks_like_an_older_kernel(machine: str) -> None:
    assert decide(machine, 452) == ABSENT
    assert decide(machine, 4000) == ABSENT


@BOTH
def test_every_jump_fits_the_instruction_and_stays_inside(machine: str) -> None:
    program = FilterProgram(machine).instructions
    for at, (_, jump, otherwise, _) in enumerate(program):
        assert 0 <= max(jump, otherwise) < 256
        assert at + 1 + max(jump, otherwise) <= len(program)
