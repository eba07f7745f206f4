"""The Redis scripts of tournaments: each step happens wholly or not at all."""

from __future__ import annotations

from matchmaker.lua import APPEND as _APPEND
from matchmaker.lua import AUDIT as _AUDIT
from matchmaker.lua import HISTORY as _HISTORY
from matchmaker.lua import SEASON as _SEASON
from matchmaker.lua import TIME as _TIME

_NEWS = """
local function tell(prefix, name, what, text)
  local key = prefix .. 'tournaments:news'
  local line = {at_ms = tonumber(now), name = name, what = what, text = text}
  redis.call('LPUSH', key, cjson.encode(line))
  redis.call('LTRIM', key, 0, 499)
end
"""

ANNOUNCE = (
    _TIME
    + _NEWS
    + _AUDIT
    + """
-- Announce a tournament. ARGV: prefix, name, announcement, text, whether it is held but once, by.
-- Returns 1, 0 if one of this name is announced, -1 if one runs or has just been held.
local prefix, name = ARGV[1], ARGV[2]
if ARGV[5] == '1' and redis.call('HEXISTS', prefix .. 'tournaments:handled', name) == 1 then
  return -1
end
if redis.call('HSETNX', prefix .. 'tournaments:announced', name, ARGV[3]) == 0 then
  return 0
end
tell(prefix, name, 'announced', ARGV[4])
audit(prefix, ARGV[6], 'tournament create', name, ARGV[4], {})
return 1
"""
)

TAKE_BACK = (
    _TIME
    + _NEWS
    + _AUDIT
    + """
-- Take an announcement back, so that nothing more begins by it. ARGV: prefix, name, why, by.
-- Returns whether there was one.
local prefix, name = ARGV[1], ARGV[2]
if redis.call('HDEL', prefix .. 'tournaments:announced', name) == 0 then
  return 0
end
tell(prefix, name, 'cancelled', 'by ' .. ARGV[4] .. ': ' .. ARGV[3])
audit(prefix, ARGV[4], 'tournament cancel', name, ARGV[3], {})
return 1
"""
)

BEGIN = (
    _TIME
    + _APPEND
    + _NEWS
    + _SEASON
    + """
-- Settle an instant of an announcement, once, whoever asks: begin what is held then or give it up.
-- ARGV: prefix, term's token, name, instant, whether it is the only one, what, text, entries for
-- the log (MessagePack), id and ready document of what begins (or ''), game, name and entry of the
-- season that begins with it (or ''), summary of what is not held (or '').
-- Returns 1 done, 0 it was settled before or is announced no more, -1 if another leads.
local prefix, name, instant = ARGV[1], ARGV[3], tonumber(ARGV[4])
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return -1
end
local announced, handled = prefix .. 'tournaments:announced', prefix .. 'tournaments:handled'
if redis.call('HEXISTS', announced, name) == 0
  or tonumber(redis.call('HGET', handled, name) or 0) >= instant then
  return 0
end
redis.call('HSET', handled, name, ARGV[4])
if ARGV[5] == '1' then
  redis.call('HDEL', announced, name)
end
tell(prefix, name, ARGV[6], ARGV[7])
for _, entry in ipairs(cmsgpack.unpack(ARGV[8])) do
  append(prefix, entry)
end
if ARGV[9] ~= '' then
  redis.call('HSET', prefix .. 'tournaments:running', ARGV[9], ARGV[10])
end
if ARGV[13] ~= '' then
  begin_season(prefix, ARGV[11], ARGV[12], ARGV[13])
end
if ARGV[14] ~= '' then
  redis.call('LPUSH', prefix .. 'tournaments:over', ARGV[14])
  redis.call('LTRIM', prefix .. 'tournaments:over', 0, 499)
end
return 1
"""
)

ORDER = (
    _TIME
    + _APPEND
    + _HISTORY
    + _AUDIT
    + """
-- Put an operator's word on a running tournament into the log. ARGV: prefix, id, entry, command,
-- by, why, bot that it is about or '', what that bot's history says.
-- Returns whether it runs.
local prefix, bot = ARGV[1], ARGV[7]
if redis.call('HEXISTS', prefix .. 'tournaments:running', ARGV[2]) == 0 then
  return 0
end
append(prefix, ARGV[3])
local bots = {}
if bot ~= '' then
  bots[1] = bot
  remember(prefix, bot, 'tournament', ARGV[8], ARGV[5])
end
audit(prefix, ARGV[5], ARGV[4], ARGV[2], ARGV[6], bots)
return 1
"""
)

SAY = (
    _TIME
    + _APPEND
    + """
-- Append what a leader has to say of a tournament, once: it names how much it has said before.
-- ARGV: prefix, term's token, id, how much, entries (MessagePack), summary if it is over now or ''.
-- Returns 1, 0 if more was said meanwhile, -1 if another leads.
local prefix, id, count = ARGV[1], ARGV[3], tonumber(ARGV[4])
local said, running = prefix .. 'tournaments:said', prefix .. 'tournaments:running'
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return -1
end
if tonumber(redis.call('HGET', said, id) or 0) ~= count then
  return 0
end
local entries = cmsgpack.unpack(ARGV[5])
for _, entry in ipairs(entries) do
  append(prefix, entry)
end
redis.call('HSET', said, id, count + #entries)
if ARGV[6] ~= '' then
  redis.call('HDEL', said, id)
  redis.call('HDEL', running, id)
  redis.call('LPUSH', prefix .. 'tournaments:over', ARGV[6])
  redis.call('LTRIM', prefix .. 'tournaments:over', 0, 499)
end
return 1
"""
)

SHOW = """
-- Write ready documents of running tournaments if we lead. ARGV: prefix, term's token, MessagePack
-- of id -> JSON, ids that run no more. Returns whether it did.
local prefix = ARGV[1]
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return 0
end
local running, gone = unpack(cmsgpack.unpack(ARGV[3]))
for id, text in pairs(running) do
  redis.call('HSET', prefix .. 'tournaments:running', id, text)
end
for _, id in ipairs(gone) do
  redis.call('HDEL', prefix .. 'tournaments:running', id)
  redis.call('HDEL', prefix .. 'tournaments:said', id)
end
return 1
"""
