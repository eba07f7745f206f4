"""Rules for Prometheus in shorter time: each wait, range and offset divided, nothing else."""

import re

import yaml

MILLISECONDS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
IN_EXPRESSIONS = re.compile(r"(?P<before>\[|\boffset )(?P<number>\d+)(?P<unit>ms|[smhd])\b")
"""Ranges (`[5m]`) and offsets. Seconds that are mere numbers, as a threshold, stay as they are."""


def shrunk(rules: str, factor: int) -> str:
    """
    Divide each `for`, range and offset of a file of rules.

    Args:
        rules: YAML.
        factor: A divisor of every one of them in milliseconds.
    """
    document = yaml.safe_load(rules)
    for group in document["groups"]:
        for rule in group["rules"]:
            rule["expr"] = IN_EXPRESSIONS.sub(
                lambda found: found["before"] + divided(found["number"], found["unit"], factor),
                rule["expr"],
            )
            if "for" in rule:
                rule["for"] = divided(*parts(rule["for"]), factor)
    return yaml.safe_dump(document, sort_keys=False)


def parts(duration: str) -> tuple[str, str]:
    """Number and unit."""
    found = re.fullmatch(r"(\d+)(ms|[smhd])", duration)
    assert found is not None, f"{duration!r}: a number and one unit are expected"
    return found[1], found[2]


def divided(number: str, unit: str, factor: int) -> str:
    whole, rest = divmod(int(number) * MILLISECONDS[unit], factor)
    assert rest == 0, f"{number}{unit} / {factor} is no whole number of milliseconds"
    return f"{whole}ms"
