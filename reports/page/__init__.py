"""The pages for a browser: `index.html` of --report-dir, which needs no server, and the one of `podproof explore`."""
