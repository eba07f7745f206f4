"""What authors and operators run by hand: random play with oracles, local matches, figures."""
