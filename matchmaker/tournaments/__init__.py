"""Tournaments that run by themselves: schedules, starts, meetings, ends."""
