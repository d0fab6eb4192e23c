"""A strict double of the model providers on loopback.

It holds each request against what the provider documents: the shape of its body, declared types against bytes, sides,
sizes as that provider counts them, numbers of pictures, tool results, uploaded files and whose they are. A breach is
answered in the provider's own error shape, so that its own client raises what it would raise in earnest.
"""

from __future__ import annotations

from eyeline.testing.provider_double.judging import SentPicture
from eyeline.testing.provider_double.refusing import Refusal
from eyeline.testing.provider_double.rules import RULES, Rules
from eyeline.testing.provider_double.server import Call, ProviderDouble, Refused

__all__ = ["RULES", "Call", "ProviderDouble", "Refusal", "Refused", "Rules", "SentPicture"]
