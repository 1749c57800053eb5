"""`quorate participants`: who can take part, whether they answer, and holding them up."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import example, json_option, language_option

config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="This configuration file."
)


@click.group(invoke_without_command=True, epilog=example("quorate participants list"))
@click.pass_context
def participants(ctx: click.Context) -> int | None:
    """Who can take part in a review from here."""
    if ctx.invoked_subcommand:
        return None
    from orchestrator.cli.participants_listing import run_list

    spoken = "ko" if os.environ.get("QUORATE_LANG") == "ko" else "en"
    return run_list((), None, os.environ, as_json=False, language=spoken)


@participants.command("list", epilog=example("quorate participants list --json"))
@click.option("--panel", multiple=True, metavar="NAMES", help="As in `quorate review --panel`.")
@config_option
@json_option
@language_option
def list_(panel: tuple[str, ...], config: Path | None, as_json: bool, language: str | None) -> int:
    """The panel that a review from this directory would have, who else is here, and what is missing.

    Nothing is started and nobody is called.
    """
    from orchestrator.cli.participants_listing import run_list

    return run_list(panel, config, os.environ, as_json=as_json, language=language or "en")


@participants.command(
    "test", epilog=example("quorate participants test", "quorate participants test claude,codex")
)
@click.argument("names", nargs=-1, metavar="[NAMES]")
@config_option
@click.option(
    "--timeout", "timeout_s", type=click.FloatRange(1, 3600), default=60.0, help="Seconds (60)."
)
@json_option
def test(names: tuple[str, ...], config: Path | None, timeout_s: float, as_json: bool) -> int:
    """Ask each model one short question, through the workers. This costs what a short call costs.

    Exit code 3 when one of them does not answer.
    """
    from orchestrator.cli.participants_trial import Trial, run_trial

    return run_trial(Trial(names, config, timeout_s, as_json), os.environ)


@participants.command(
    "allow", epilog=example("quorate participants allow --config /etc/quorate/config.yaml")
)
@config_option
def allow(config: Path | None) -> int:
    """Let the workers of this machine and account run and call what the configuration names.

    For workers on other machines than the one where runs are submitted: a run's row alone never names a command, an
    address, a place of a key, a script or a browser profile. Where runs are submitted this happens by itself.
    """
    from orchestrator.cli.participants_allowing import run_allow

    return run_allow(config, os.environ)


@participants.command("models", epilog=example("quorate participants models"))
@config_option
@json_option
def models(config: Path | None, as_json: bool) -> int:
    """Which model a name means here, and what it costs. Nobody is asked."""
    from orchestrator.cli.participants_models import run_models

    return run_models(config, os.environ, as_json=as_json)


@participants.command(
    "pause", epilog=example('quorate participants pause claude -m "invoice unpaid"')
)
@click.argument("name", metavar="NAME")
@click.option("-m", "--message", default="", metavar="TEXT", help="Why.")
@config_option
def pause(name: str, message: str, config: Path | None) -> int:
    """Hold all calls of a participant, a provider or an account; its turns wait and lose no attempt.

    The name must be one that is known here: of the configuration, of a turn that waits, or of an account that was used.
    """
    from orchestrator.cli.participants_holding import run_pause

    return run_pause(name, message, config, os.environ)


@participants.command("resume", epilog=example("quorate participants resume claude"))
@click.argument("name", metavar="NAME")
def resume(name: str) -> int:
    """End a pause, or close the breaker of an account."""
    from orchestrator.cli.participants_holding import run_resume

    return run_resume(name, os.environ)


@participants.command("login", epilog=example("quorate participants login chatgpt-web"))
@click.argument("name", metavar="NAME")
@config_option
def login(name: str, config: Path | None) -> int:
    """Open the browser of a web chat, to log in with your own account."""
    from orchestrator.cli.participants_holding import run_login

    return run_login(name, config, os.environ)
