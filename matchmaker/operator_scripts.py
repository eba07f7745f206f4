"""
Redis scripts of an operator's acts on matches, seasons and the whole ladder. See `scripts`.

Each writes its line of the audit log in the same step.
"""

from __future__ import annotations

from matchmaker.lua import APPEND, AUDIT, HISTORY, SEASON, TIME

CANCEL = (
    TIME
    + AUDIT
    + """
-- Wish that a running match be cancelled. ARGV: prefix, match, text for its bots, by, why,
-- MessagePack of the bots. Returns whether it runs.
local prefix, id = ARGV[1], ARGV[2]
local status = redis.call('HGET', prefix .. 'match:' .. id, 'status')
if status ~= 'planned' and status ~= 'playing' then
  return 0
end
redis.call('HSET', prefix .. 'cancels', id, ARGV[3])
audit(prefix, ARGV[4], 'match cancel', id, ARGV[5], cmsgpack.unpack(ARGV[6]))
return 1
"""
)

VOID = (
    TIME
    + APPEND
    + HISTORY
    + AUDIT
    + """
-- Take a result out, and begin the pairing that plays it anew if there is to be one.
-- ARGV: prefix, command, match, its `void` entry, by, why, MessagePack of the bots, pairing or '',
-- its bytes. Returns the entry's position, or 0 if it was taken out before.
local prefix, id, by, why = ARGV[1], ARGV[3], ARGV[5], ARGV[6]
if redis.call('HEXISTS', prefix .. 'voids', id) == 1 then
  return 0
end
local bots, pairing = cmsgpack.unpack(ARGV[7]), ARGV[8]
local position = append(prefix, ARGV[4])
redis.call('HSET', prefix .. 'voids', id, position)
local text = 'match ' .. id .. ': ' .. why
if pairing ~= '' then
  redis.call('HSET', prefix .. 'pairings', pairing, ARGV[9])
  redis.call('RPUSH', prefix .. 'anew', pairing)
  text = text .. ' (it is played anew)'
end
for _, bot in ipairs(bots) do
  if redis.call('HEXISTS', prefix .. 'bot:' .. bot, 'owner') == 1 then
    remember(prefix, bot, 'voided', text, by)
  end
end
audit(prefix, by, ARGV[2], id, why, bots)
return position
"""
)

BEGIN_SEASON = (
    TIME
    + APPEND
    + SEASON
    + AUDIT
    + """
-- Begin a season of a game. ARGV: prefix, game, name, its entry, by, why.
-- Returns the entry's position, or 0 if there is one of this name.
local prefix, game, name = ARGV[1], ARGV[2], ARGV[3]
local position = begin_season(prefix, game, name, ARGV[4])
if position > 0 then
  audit(prefix, ARGV[5], 'season begin', game .. ' ' .. name, ARGV[6], {})
end
return position
"""
)

TRIM_AUDIT = """
-- Forget the audit log up to a position whose lines are in the archive, if we lead.
-- ARGV: prefix, term's token, position.
local prefix = ARGV[1]
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return 0
end
redis.call('XTRIM', prefix .. 'audit', 'MINID', (tonumber(ARGV[3]) + 1) .. '-0')
return 1
"""
