"""The web process: pages, a JSON API and live news of a ladder. Reads ready documents only."""
