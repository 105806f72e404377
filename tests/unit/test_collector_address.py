"""Which collector is meant."""

from __future__ import annotations

import pytest

from holdfast.core.errors import UsageError
from holdfast.telemetry.trace_command import collector_port, collector_url, looked_up, shown


@pytest.mark.parametrize(
    ("given", "environment", "url"),
    [
        ("http://c:4318", {}, "http://c:4318/v1/traces"),
        ("http://c:4318/", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://other"}, "http://c:4318/v1/traces"),
        ("https://c.example/v1/traces", {}, "https://c.example/v1/traces"),
        ("env", {}, "http://localhost:4318/v1/traces"),
        ("env", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318/base/"}, "http://c:4318/base/v1/traces"),
        ("env", {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c/taken"}, "http://c/taken"),
    ],
)
def test_the_address_is_what_was_typed_or_what_the_variables_say(
    given: str, environment: dict[str, str], url: str
) -> None:
    assert collector_url(given, environment) == url


def test_the_port_is_known_and_a_message_shows_no_password() -> None:
    assert [collector_port(url) for url in ("http://c", "https://c", "http://c:4318")] == [80, 443, 4318]
    assert shown("http://me:secret@c:4318/v1/traces") == "http://c:4318"
    with pytest.raises(UsageError, match="--otlp is an address such as"):
        collector_url("http://c:99999", {})


def test_a_confined_process_knows_the_collector_by_its_address() -> None:
    assert looked_up("http://c:4318/v1/traces", lambda _: "10.0.0.7") == "http://10.0.0.7:4318/v1/traces"
    assert looked_up("http://c/v1/traces", lambda _: "::1") == "http://[::1]:80/v1/traces"
    assert looked_up("http://me:secret@c/v1/traces", lambda _: "10.0.0.7") == "http://me:secret@10.0.0.7:80/v1/traces"
    assert looked_up("https://10.0.0.7/v1/traces", lambda host: host) == "https://10.0.0.7/v1/traces"
    with pytest.raises(UsageError, match="no name can be looked up"):
        looked_up("https://c/v1/traces", lambda _: "10.0.0.7")
