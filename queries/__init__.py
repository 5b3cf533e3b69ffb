"""From names on the command line to systems: releases, scenarios, users' own files."""
