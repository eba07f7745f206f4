"""Parts that several Redis scripts of the matchmaker have in common, each a local function."""

from __future__ import annotations

TIME = """
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
"""

APPEND = """
-- Append an entry to the results log. `sum` tells later which entry is damaged, if one is.
local function append(prefix, entry)
  local position = redis.call('INCR', prefix .. 'log:position')
  local sum = string.sub(redis.sha1hex(position .. ':' .. now .. ':' .. entry), 1, 16)
  redis.call('XADD', prefix .. 'log', position .. '-0', 'entry', entry, 'at', now, 'sum', sum)
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

AUDIT = """
-- Note what an operator did, to what, and which bots it concerns (a list).
local function audit(prefix, by, what, on, why, bots)
  local position = redis.call('INCR', prefix .. 'audit:position')
  redis.call('XADD', prefix .. 'audit', position .. '-0', 'at', now, 'by', by, 'what', what,
    'on', on, 'why', why, 'bots', table.concat(bots, ' '))
end
"""

SEASON = """
-- Begin a season by its entry, once for each name (after APPEND). Returns its position, or 0.
local function begin_season(prefix, game, name, entry)
  local known, field = prefix .. 'seasons', game .. ' ' .. name
  if redis.call('HEXISTS', known, field) == 1 then
    return 0
  end
  local position = append(prefix, entry)
  redis.call('HSET', known, field, position)
  return position
end
"""
