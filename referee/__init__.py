"""The process that enforces the rules and the fog of war."""
