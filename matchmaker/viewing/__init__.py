"""What spectators of a match are shown, moment by moment: built from views and events alone."""
