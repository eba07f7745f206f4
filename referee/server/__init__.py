"""The referee process: bots' streams, running matches, the store's journal. See README.md."""
