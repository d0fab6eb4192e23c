"""Where a name leads is looked up once, checked whole, and connected to as it was checked."""

from __future__ import annotations

import os
import resource
from collections.abc import Generator
from contextlib import contextmanager, suppress

import pytest
from tests.support.urls import HERE, WAIT_S, Names, body, full_listener, outcome, policy

from eyeline.errors import AddressRefused, EyelineError
from eyeline.source.url import UrlSource
from eyeline.testing.hostile_web import HostileWeb
from eyeline.toolkit.cancel import CancelToken

PUBLIC = "93.184.215.14"
"""An address that a test never connects to: the guard of the tests would refuse it."""

PRIVATE = [
    *("10.0.0.1", "172.16.0.1", "192.168.1.1", "127.0.0.2", "0.0.0.0", "100.64.0.1", "169.254.169.254", "224.0.0.1"),
    *("100.100.100.200", "198.18.0.1", "192.88.99.1", "240.0.0.1", "255.255.255.255", "168.63.129.16"),
    *("::", "::1", "::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1"),
    *("64:ff9b:1:7f00:0:100::", "2002:7f00:1::", "2001:0:7f00:1::", "2a00:1450::5efe:7f00:1", "fe80::1", "fe80::1%lo"),
    *("fd00:ec2::254", "fc00::1", "fec0::1", "ff02::1", "2001:db8::1", "3fff::1", "5f00::1", "100::1", "4000::1"),
    *("not an address", ""),
]


@pytest.mark.requirement("VF-06")
def test_a_name_is_looked_up_once_and_host_is_what_was_asked_for() -> None:
    names = Names(pictures_example=[[HERE], ["10.0.0.1"]])
    with HostileWeb() as web:
        url = web.url("/plain", host="Pictures.Example.")
        assert body(UrlSource(policy(web), resolve=names).open(url, cancel=CancelToken())) == b"plain text"
        assert names.asked == [("pictures.example", web.port)]
        assert web.asked[0].headers["host"] == f"pictures.example:{web.port}"


@pytest.mark.requirement("VF-06")
def test_a_name_that_moves_between_two_requests_is_checked_again_at_each() -> None:
    names = Names(pictures_example=[[HERE], [HERE], ["10.0.0.1"]])
    with HostileWeb() as web:
        source = UrlSource(policy(web), resolve=names)
        moved = outcome(lambda: source.open(web.url("/chain?left=2", host="pictures.example"), cancel=CancelToken()))
        assert moved == ("address_refused", None)
        # each connection had a look-up of its own, and the third came to none
        assert (len(names.asked), web.connections) == (3, 2)


@pytest.mark.requirement("VF-06")
def test_an_address_in_the_url_is_not_looked_up() -> None:
    names = Names()
    with HostileWeb() as web:
        assert body(UrlSource(policy(web), resolve=names).open(web.url("/plain"), cancel=CancelToken()))
    assert names.asked == []


@pytest.mark.requirement("VF-06")
@pytest.mark.parametrize("address", PRIVATE)
@pytest.mark.parametrize("place", ["alone", "first", "last"])
def test_a_name_with_one_answer_that_is_not_public_is_refused_whole(address: str, place: str) -> None:
    answers = {"alone": [address], "first": [address, HERE], "last": [PUBLIC, HERE, address]}[place]
    names = Names(mixed_example=[answers])
    with HostileWeb() as web:
        source = UrlSource(policy(web), resolve=names)
        refused = outcome(lambda: source.open(web.url("/plain", host="mixed.example"), cancel=CancelToken()))
        assert refused == ("address_refused", None)
        assert web.connections == 0
    assert len(names.asked) == 1


@pytest.mark.requirement("VF-06")
@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.0.0.2", "0.0.0.0", "10.0.0.1", "169.254.169.254", "[::1]", "[::]", "[::ffff:127.0.0.1]"),
        *("[::127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::]", "[fd00:ec2::254]", "localhost", "LOCALHOST."),
        *("metadata.google.internal", "metadata", "instance-data", "127.0.0.1."),
    ],
)
def test_without_leave_nothing_of_this_machine_or_network_is_fetched(host: str) -> None:
    with HostileWeb() as web:
        source = UrlSource(policy(web, allow_private_hosts=()))
        refused = outcome(lambda: source.open(web.url("/plain", host=host), cancel=CancelToken()))
        assert refused == ("address_refused", None)
        assert web.connections == 0


@pytest.mark.parametrize("allowed", ["127.0.0.1", "127.0.0.0/8", "intranet.example"])
def test_what_an_operator_allows_is_fetched(allowed: str) -> None:
    with HostileWeb() as web:
        source = UrlSource(policy(web, allow_private_hosts=(allowed,)), resolve=Names(intranet_example=[[HERE]]))
        assert body(source.open(web.url("/plain", host="intranet.example"), cancel=CancelToken())) == b"plain text"


def test_a_name_that_is_allowed_does_not_allow_the_address_under_another() -> None:
    names = Names(intranet_example=[[HERE]], other_example=[[HERE]])
    with HostileWeb() as web:
        source = UrlSource(policy(web, allow_private_hosts=("intranet.example",)), resolve=names)
        for host in ("other.example", HERE):
            refused = outcome(lambda host=host: source.open(web.url("/plain", host=host), cancel=CancelToken()))
            assert refused == ("address_refused", None)


@pytest.mark.parametrize("first", ["refusing", "silent"])
def test_the_next_address_is_tried_where_the_first_takes_no_connection(first: str) -> None:
    names = Names(two_example=[["127.0.0.3", HERE]])
    with HostileWeb() as web:
        source = UrlSource(policy(web, allow_private_hosts=("two.example",)), resolve=names)
        url = web.url("/plain", host="two.example")
        if first == "refusing":
            assert body(source.open(url, cancel=CancelToken())) == b"plain text"
        else:
            with full_listener("127.0.0.3", web.port):
                assert body(source.open(url, cancel=CancelToken())) == b"plain text"


@contextmanager
def descriptors_left(count: int) -> Generator[None]:
    """This process may open so many more files and sockets."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken: list[int] = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        for _ in range(count):
            os.close(taken.pop())
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in taken:
            os.close(each)


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_a_machine_that_has_no_socket_left_says_so(count: int) -> None:
    with HostileWeb() as web:
        source = UrlSource(policy(web), resolve=Names(name_example=[[HERE]]))
        url = web.url("/plain", host="name.example")
        assert body(source.open(url, cancel=CancelToken())) == b"plain text"
        with descriptors_left(count):
            failed = outcome(lambda: source.open(url, cancel=CancelToken()))
    assert failed == ("unreachable", "connect")


def test_hosts_with_a_thousand_addresses_are_checked_whole_and_tried_in_part() -> None:
    many = [f"127.1.{number // 250}.{number % 250}" for number in range(1000)]
    names = Names(many_example=[many, [*many, "10.0.0.1"]])
    with HostileWeb() as web:
        source = UrlSource(policy(web, allow_private_hosts=("127.0.0.0/8",)), resolve=names)
        url = web.url("/plain", host="many.example")
        assert outcome(lambda: source.open(url, cancel=CancelToken())) == ("unreachable", "connect")
        assert outcome(lambda: source.open(url, cancel=CancelToken())) == ("address_refused", None)


@pytest.mark.requirement("VF-13")
@pytest.mark.parametrize("answers", [["10.11.12.13"], [HERE]])
def test_where_a_name_leads_is_in_no_error(answers: list[str]) -> None:
    with HostileWeb() as web:
        allowed = policy(web)
        url = web.url("/plain", host="name.example")
    source = UrlSource(allowed, resolve=Names(name_example=[answers]))
    with pytest.raises(EyelineError) as failed:
        source.open(url, cancel=CancelToken())
    said = f"{failed.value!r} {failed.value} {failed.value.detail} {failed.value.__cause__!r}"
    assert answers[0] not in said


def test_two_threads_may_fetch_from_one_source() -> None:
    from concurrent.futures import ThreadPoolExecutor

    with HostileWeb() as web, ThreadPoolExecutor(8) as pool:
        source = UrlSource(policy(web))
        fetches = [
            pool.submit(lambda: body(source.open(web.url("/of-size?bytes=100000"), cancel=CancelToken())))
            for _ in range(24)
        ]
        assert {len(each.result(WAIT_S)) for each in fetches} == {100_000}
        assert web.connections == 24


def test_sockets_of_this_machine_are_no_place_of_a_url() -> None:
    from eyeline.source.url.dialing import Dialer
    from eyeline.source.url.watching import Watch

    watch = Watch(CancelToken(), header_ms=1000)
    dialer = Dialer(address=None, admittance=None, resolve=Names(), watch=watch)
    with pytest.raises(AddressRefused):
        dialer.connect_unix_socket("/run/docker.sock")
    watch.close()
