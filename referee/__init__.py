"""The rules, the fog of war and the server that enforces both."""
