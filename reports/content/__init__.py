"""What each command found out: as a document, as data of the schema podproof/1, and as findings."""
