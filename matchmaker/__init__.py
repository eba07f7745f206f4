"""Who meets whom, what counts, and the one `warladder` command."""
