"""The cancel token."""

from __future__ import annotations

import threading

import pytest

from eyeline.errors import Cancelled
from eyeline.toolkit.cancel import CancelToken


def test_a_fresh_token_lets_the_call_go_on() -> None:
    token = CancelToken()
    token.raise_if_cancelled()
    assert not token.cancelled
    assert token.reason == ""


def test_a_fired_token_raises_its_first_reason() -> None:
    token = CancelToken()
    token.cancel("the window was closed")
    token.cancel("too late")
    with pytest.raises(Cancelled) as caught:
        token.raise_if_cancelled()
    assert caught.value.message == "the window was closed"


def test_a_callback_runs_once_and_also_when_it_comes_late() -> None:
    token = CancelToken()
    heard: list[str] = []
    token.on_cancel(lambda: heard.append("early"))
    token.cancel()
    token.cancel()
    token.on_cancel(lambda: heard.append("late"))
    assert heard == ["early", "late"]


def test_a_callback_taken_back_is_not_called() -> None:
    token = CancelToken()
    heard: list[str] = []
    unregister = token.on_cancel(lambda: heard.append("no"))
    unregister()
    unregister()
    token.cancel()
    assert heard == []


def test_a_waiter_in_another_thread_wakes() -> None:
    token = CancelToken()
    woken: list[bool] = []
    waiter = threading.Thread(target=lambda: woken.append(token.wait(30)))
    waiter.start()
    token.cancel()
    waiter.join(30)
    assert woken == [True]
