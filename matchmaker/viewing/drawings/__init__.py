"""
Games on a terminal: one module each, found by the game's name; nothing else has to be told of it.

A module may export what follows; what it leaves out is told field by field, in the game's names.

    names(components)    words for ids, from the component data
    TELL                 event's name → sentence, given (fields, table)
    turn(view)           the heading of a turn
    phase(table)         where the match stands, in a line
    scene(view)          whoever plays sees the table anew when this changes
    draw(table)          the table, as things that rich prints
    ASK                  kind of decision → what is asked, with {fields} of the view
    option(table, verb, args)   a group's heading (or "") and the option in words: the only
                                place that has them, for terminals and browsers; where no view is
                                known they are the same without what only a view tells
    cards(table)         lines about what the viewer holds, for who asks

`table` is a `viewing.table.Table`; views, and the fields of events, are plain values as
`viewing.plain` makes them.
"""
