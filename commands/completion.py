"""`podproof completion`: what a shell reads to complete commands, options and names."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from podproof.commands.line import terminal

SHELLS = ("bash", "zsh", "fish")


@terminal.command(
    examples=[
        ('eval "$(podproof completion bash)"', "in ~/.bashrc"),
        ('eval "$(podproof completion zsh)"', "in ~/.zshrc, after compinit"),
        ("podproof completion fish > ~/.config/fish/completions/podproof.fish", "once"),
    ]
)
@click.argument("shell", type=click.Choice(SHELLS))
def completion(shell: str) -> int:
    """Write what makes a shell complete commands, options, versions, scenarios, claims, actions and fields."""
    found = get_completion_class(shell)
    assert found is not None, "click knows every shell of the choice"
    root = click.get_current_context().find_root().command
    click.echo(found(root, {}, "podproof", "_PODPROOF_COMPLETE").source())
    return 0
