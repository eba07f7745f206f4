"""
A local certificate authority for a ladder's TLS: `warladder cert`.

Made for a referee whose bots get the authority's certificate by hand; a server known to the world
uses certificates of a public authority instead. Keys are P-256, files are PEM.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from matchmaker.errors import WrongUse

AUTHORITY = "ca"
KEY = "-key"
"""Ends the name of a key's file."""
SERVER = "server"
SLACK = timedelta(hours=1)
"""Clocks of two machines may differ."""
AUTHORITY_DAYS = 3650
LONGEST_NAME = 64
"""X.520's upper bound of a common name."""


class Issued(NamedTuple):
    """Files of a certificate and its key."""

    certificate: Path
    key: Path


class Authority(NamedTuple):
    """Who signs."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def make(
    folder: Path, hosts: Sequence[str], clients: Sequence[str], days: int
) -> dict[str, Issued]:
    """
    Make certificates; the folder's authority is used if it has one, else made.

    Args:
        hosts: Names or addresses by which bots dial in to the referee.
        clients: A certificate each for bots, for referees that ask for one.
        days: How long they hold.

    Returns:
        Files by role: `ca`, `server`, and each client's name.

    Raises:
        WrongUse: The folder cannot be written, its authority cannot be read, or a name is none.
    """
    for name in clients:
        if name.casefold() in (AUTHORITY, SERVER) or not is_name(name):
            raise WrongUse(
                f"--client {name!r}: letters, digits, '.', '_' and '-', at most {LONGEST_NAME}"
                f", and not {AUTHORITY!r} or {SERVER!r}"
            )
        if name.casefold().endswith(KEY):
            raise WrongUse(f"--client {name!r}: a file {name}.pem would be another one's key")
        others = {*clients, *(path.stem for path in folder.glob("*.pem"))} - {name}
        if alike := [each for each in others if each.casefold() == name.casefold()]:
            raise WrongUse(f"--client {name!r}: too like {alike[0]!r}: capitals may not count")
    names = [alternative(host) for host in hosts]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        authority = read(folder) or found(folder)
        issued = {AUTHORITY: files(folder, AUTHORITY)}
        if names:
            issued[SERVER] = issue(folder, SERVER, authority, days, names)
        for name in clients:
            issued[name] = issue(folder, name, authority, days, [])
    except OSError as fault:
        raise WrongUse(f"{folder}: {fault.strerror}") from None
    return issued


def is_name(text: str) -> bool:
    plain = text.replace("-", "a").replace("_", "a").replace(".", "a")
    return plain.isascii() and plain.isalnum() and text[0] != "." and len(text) <= LONGEST_NAME


def alternative(host: str) -> x509.GeneralName:
    """A host as a certificate names it."""
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        pass
    if not is_name(host) or "_" in host:
        raise WrongUse(f"--host {host!r}: a name like ladder.example.org or an address like ::1")
    return x509.DNSName(host)


def files(folder: Path, name: str) -> Issued:
    return Issued(folder / f"{name}.pem", folder / f"{name}{KEY}.pem")


def read(folder: Path) -> Authority | None:
    """The folder's authority, if it has one."""
    paths = files(folder, AUTHORITY)
    if not (paths.certificate.exists() or paths.key.exists()):
        return None
    try:
        certificate = x509.load_pem_x509_certificate(paths.certificate.read_bytes())
        key = serialization.load_pem_private_key(paths.key.read_bytes(), None)
    except (OSError, ValueError, TypeError) as fault:
        raise WrongUse(
            f"{paths.certificate} and {paths.key} are no authority ({fault}); use another folder"
        ) from None
    is_pair = isinstance(key, ec.EllipticCurvePrivateKey) and (
        key.public_key() == certificate.public_key()
    )
    if not is_pair:
        raise WrongUse(f"{paths.key} is not the key of {paths.certificate}; use another folder")
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return Authority(certificate, key)


def found(folder: Path) -> Authority:
    """Make an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = common_name("warladder local authority")
    builder = (
        builder_of(name, name, key.public_key(), AUTHORITY_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage(signs=True), critical=True)
    )
    authority = Authority(builder.sign(key, hashes.SHA256()), key)
    write(files(folder, AUTHORITY), authority.certificate, key)
    return authority


def issue(
    folder: Path,
    name: str,
    authority: Authority,
    days: int,
    names: Sequence[x509.GeneralName],
) -> Issued:
    """A certificate for a server with these names, or for a client if there are none."""
    key = ec.generate_private_key(ec.SECP256R1())
    purpose = ExtendedKeyUsageOID.SERVER_AUTH if names else ExtendedKeyUsageOID.CLIENT_AUTH
    builder = (
        builder_of(common_name(name), authority.certificate.subject, key.public_key(), days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()),
            critical=False,
        )
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    paths = files(folder, name)
    write(paths, builder.sign(authority.key, hashes.SHA256()), key)
    return paths


def builder_of(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SLACK)
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def common_name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def usage(signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def write(paths: Issued, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
    """The key's file can be read by its owner only, from its first byte on."""
    secret = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    paths.key.unlink(missing_ok=True)
    handle = os.open(paths.key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secret)
    paths.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
