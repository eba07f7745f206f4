"""
Pairs of worlds that a viewer cannot tell apart, carried on at a real referee: `fuzz --leaks`.

`clockwork` counts time instead of measuring it, `world` is a referee's hall with one match in it,
`pair` carries two of them on and compares every byte, `hunt` draws the positions and counts.
"""
