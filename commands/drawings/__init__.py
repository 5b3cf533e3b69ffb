"""What `podproof diagram` draws, and whether committed diagrams are still true."""
