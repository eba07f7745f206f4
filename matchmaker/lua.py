"""Parts that several Redis scripts of the matchmaker have in common, each a local function."""

from __future__ import annotations

TIME = """
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
"""

APPEND = """
local function append(prefix, entry)
  local position = redis.call('INCR', prefix .. 'log:position')
  redis.call('XADD', prefix .. 'log', position .. '-0', 'entry', entry, 'at', now)
  return position
end
"""

HISTORY = """
local function remember(prefix, bot, what, text, by)
  local key = prefix .. 'history:' .. bot
  local line = {at_ms = tonumber(now), what = what, text = text, by = by}
  redis.call('LPUSH', key, cjson.encode(line))
  redis.call('LTRIM', key, 0, 199)
end
"""
