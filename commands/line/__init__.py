"""What all command lines share: options, configuration, where results go, how a command ends."""
