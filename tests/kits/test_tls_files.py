"""Files of TLS that are missing, or not what they should be, are told before anybody is dialled."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

import pytest
from cryptography.hazmat.primitives import serialization as form
from cryptography.hazmat.primitives.asymmetric import rsa

from matchmaker import certificates, kits
from tests.helpers.processes import ROOT, WARLADDER, environment

pytestmark = pytest.mark.timeout(300)

NOBODY = "127.0.0.1:9"
OURS = {
    "samples": (sys.executable, str(ROOT / "sample_bots" / "python" / "random" / "bot.py")),
    "bridge": (*WARLADDER, "bridge", "--game", "stalingrad", "--", "cat"),
}
"""What else dials in with the same variables."""
FEW = {
    "samples": {"no authority", "authority is rubbish", "key of another", "key with a password"},
    "bridge": {"key of another"},
}
"""They start slowly, and what they look with has its own test: `tools/test_dialling.py`."""
CA, CERTIFICATE, KEY = "WARLADDER_TLS_CA", "WARLADDER_TLS_CERTIFICATE", "WARLADDER_TLS_KEY"


class Files(NamedTuple):
    authority: str
    certificate: str
    key: str
    others: str
    """Another's key."""
    locked: str
    """The key, with a password."""
    locked_rsa: str
    """A key with a password, in the older form."""
    pkcs1: str
    """A key of another kind, in a form that Java does not read."""
    rubbish: str


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    folder = tmp_path_factory.mktemp("tls")
    made = certificates.make(folder, [], ["mine", "yours"], days=1)
    key = form.load_pem_private_key(made["mine"].key.read_bytes(), None)
    word = form.BestAvailableEncryption(b"a password")
    old = rsa.generate_private_key(65537, 2048)
    plain, pkcs8, pkcs1 = (
        form.NoEncryption(),
        form.PrivateFormat.PKCS8,
        form.PrivateFormat.TraditionalOpenSSL,
    )
    contents = {
        "locked": key.private_bytes(form.Encoding.PEM, pkcs8, word),
        "locked_rsa": old.private_bytes(form.Encoding.PEM, pkcs1, word),
        "pkcs1": old.private_bytes(form.Encoding.PEM, pkcs1, plain),
        "rubbish": b"-----BEGIN RUBBISH-----\n",
    }
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return Files(
        authority=str(made["ca"].certificate),
        certificate=str(made["mine"].certificate),
        key=str(made["mine"].key),
        others=str(made["yours"].key),
        **{name: str(folder / name) for name in contents},
    )


def wrong(files: Files) -> dict[str, tuple[dict[str, str], str]]:
    """By what is wrong: the variables, and the one that the line must name."""
    trust, both = {CA: files.authority}, {CA: files.authority, CERTIFICATE: files.certificate}
    return {
        "no authority": ({CA: "/not-here.pem"}, CA),
        "authority is rubbish": ({CA: files.rubbish}, CA),
        "no key": (both, KEY),
        "no certificate": ({**trust, KEY: files.key}, CERTIFICATE),
        "certificate is rubbish": (
            {**trust, CERTIFICATE: files.rubbish, KEY: files.key},
            CERTIFICATE,
        ),
        "key is missing": ({**both, KEY: "/not-here.pem"}, KEY),
        "key is rubbish": ({**both, KEY: files.rubbish}, KEY),
        "key of another": ({**both, KEY: files.others}, KEY),
        "key with a password": ({**both, KEY: files.locked}, KEY),
        "older key with a password": ({**both, KEY: files.locked_rsa}, KEY),
        "key of another kind": ({**both, KEY: files.pkcs1}, KEY),
    }  # fmt: skip


@contextmanager
def started(command: tuple[str, ...], variables: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    env = environment(WARLADDER_REFEREE=NOBODY, WARLADDER_TOKEN="any", **variables)
    with subprocess.Popen(
        command, env=env, cwd=ROOT, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as bot:
        try:
            yield bot
        finally:
            bot.kill()


@pytest.mark.parametrize("name", [*sorted(kits.folders()), *OURS])
def test_what_is_wrong_with_them_is_one_line_and_exit_code_2(
    name: str, command: Callable[..., tuple[str, ...]], files: Files
) -> None:
    words = OURS[name] if name in OURS else command(name)
    every = wrong(files)
    found = {}
    for what in FEW.get(name, every.keys()):
        variables, variable = every[what]
        with started(words, variables) as bot:
            _, said = bot.communicate(timeout=60)
        if bot.returncode != 2 or said.count("\n") != 1 or variable not in said:
            found[what] = (bot.returncode, said)
    assert not found


@pytest.mark.parametrize("name", [*sorted(kits.folders()), *OURS])
def test_those_that_are_right_are_dialled_with(
    name: str, command: Callable[..., tuple[str, ...]], files: Files
) -> None:
    words = OURS[name] if name in OURS else command(name)
    variables = {CA: files.authority, CERTIFICATE: files.certificate, KEY: files.key}
    with started(words, variables) as bot:
        assert bot.stderr is not None
        line = next(line for line in bot.stderr if NOBODY in line)
        assert "UNAVAILABLE" in line.upper()
        assert bot.poll() is None
