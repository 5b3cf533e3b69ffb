"""`podproof diagram`: placeholder"""

import click


@click.command()
def diagram() -> None: ...
