"""The local certificate authority."""

import ssl
from pathlib import Path

import pytest
from cryptography import x509

from matchmaker import certificates
from matchmaker.errors import WrongUse


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> None:
    """A whole TLS handshake in memory."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        client.wrap_bio(to_client, to_server, server_hostname=host),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    for _ in range(10):
        for side in list(sides):
            try:
                side.do_handshake()
                sides.remove(side)
            except ssl.SSLWantReadError:
                pass
    assert not sides


def contexts(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    made = certificates.make(folder, ["ladder.example", "127.0.0.1"], ["mine"], days=30)
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*made["server"])
    server.load_verify_locations(made["ca"].certificate)
    server.verify_mode = ssl.CERT_REQUIRED
    client = ssl.create_default_context(cafile=str(made["ca"].certificate))
    client.load_cert_chain(*made["mine"])
    return server, client


@pytest.mark.parametrize("host", ["ladder.example", "127.0.0.1"])
def test_both_sides_trust_what_the_authority_signed(tmp_path: Path, host: str) -> None:
    shake_hands(*contexts(tmp_path), host)


def test_another_host_is_not_trusted(tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        shake_hands(*contexts(tmp_path), "other.example")


def test_another_authority_is_not_trusted(tmp_path: Path) -> None:
    server, _ = contexts(tmp_path / "one")
    _, client = contexts(tmp_path / "two")
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(server, client, "ladder.example")


def test_keys_are_their_owners_alone_and_an_authority_is_used_again(tmp_path: Path) -> None:
    first = certificates.make(tmp_path, ["one"], ["mine"], days=1)
    authority = first["ca"].certificate.read_bytes()
    again = certificates.make(tmp_path, [], ["other"], days=1)
    assert set(again) == {"ca", "other"}
    assert again["ca"].certificate.read_bytes() == authority
    for each in (*first.values(), *again.values()):
        assert each.key.stat().st_mode & 0o777 == 0o600


def test_days_are_counted_from_now(tmp_path: Path) -> None:
    made = certificates.make(tmp_path, ["one"], [], days=7)
    read = x509.load_pem_x509_certificate(made["server"].certificate.read_bytes())
    held = read.not_valid_after_utc - read.not_valid_before_utc
    assert held.days == 7
    assert held.seconds == certificates.SLACK.seconds


@pytest.mark.parametrize("host", ["", "a b", "_x", "http://x", "x" * 70])
def test_a_host_that_is_none_is_named(tmp_path: Path, host: str) -> None:
    with pytest.raises(WrongUse, match="--host"):
        certificates.make(tmp_path, [host], [], days=1)


@pytest.mark.parametrize("name", ["", "ca", "server", "../x", "a/b", ".x"])
def test_a_client_that_is_none_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(WrongUse, match="--client"):
        certificates.make(tmp_path, [], [name], days=1)


def test_a_folder_with_half_an_authority_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("mine")
    with pytest.raises(WrongUse, match="use another folder"):
        certificates.make(tmp_path, ["one"], [], days=1)
    assert (tmp_path / "ca.pem").read_text() == "mine"


@pytest.mark.parametrize(
    ("clients", "why"),
    [
        (["ca-key"], "would be another one's key"),
        (["mine-KEY"], "would be another one's key"),
        (["CA"], "and not 'ca' or 'server'"),
        (["Mine"], "too like 'mine'"),
        (["two", "Two"], "too like"),
    ],
)
def test_no_client_gets_the_file_of_another(tmp_path: Path, clients: list[str], why: str) -> None:
    certificates.make(tmp_path, [], ["mine"], days=1)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(WrongUse, match=why):
        certificates.make(tmp_path, [], clients, days=1)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    certificates.make(tmp_path, [], ["mine"], days=1)  # its own may be made anew
