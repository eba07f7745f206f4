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

ADOPT = (
    TIME
    + AUDIT
    + """
-- Take a whole log, and what else a backup holds, into a ladder in which nothing has happened; who
-- leads it is deposed, so that he reads everything anew. ARGV: prefix, position of its log (there
-- are rating rules alone), command, by, why, and MessagePack of {position, base: position and head,
-- tail: position, time and bytes of each entry, receipts, tables, keys: name, type and value}.
-- Numbers travel as texts. Returns 1, or 0 if something has happened there.
local prefix = ARGV[1]
local function has(name)
  return redis.call('EXISTS', prefix .. name) == 1
end
if (redis.call('GET', prefix .. 'log:position') or '0') ~= ARGV[2] or has('number')
  or has('bots') or has('log:base') or has('audit') then
  return 0
end
local whole = cmsgpack.unpack(ARGV[6])
for _, name in ipairs({'leader', 'log', 'fold'}) do
  redis.call('DEL', prefix .. name)
end
for _, game in ipairs(redis.call('SMEMBERS', prefix .. 'tables')) do
  redis.call('DEL', prefix .. 'table:' .. game)
end
redis.call('DEL', prefix .. 'tables')

local function in_parts(command, key, values, size)
  for first = 1, #values, size do
    redis.call(command, key, unpack(values, first, math.min(first + size - 1, #values)))
  end
end
local function write(key, kind, value)
  redis.call('DEL', key)
  if kind == 'string' then
    redis.call('SET', key, value)
  elseif kind == 'stream' then
    for _, row in ipairs(value) do
      redis.call('XADD', key, row[1], unpack(row[2]))
    end
  else
    local commands = {hash = 'HSET', list = 'RPUSH', set = 'SADD', zset = 'ZADD'}
    in_parts(commands[kind], key, value, 1000)
  end
end
for _, each in ipairs(whole.keys) do
  write(prefix .. each[1], each[2], each[3])
end
for _, row in ipairs(whole.tail) do
  local position, at, entry = row[1], row[2], row[3]
  local sum = string.sub(redis.sha1hex(position .. ':' .. at .. ':' .. entry), 1, 16)
  redis.call('XADD', prefix .. 'log', position .. '-0', 'entry', entry, 'at', at, 'sum', sum)
end
redis.call('SET', prefix .. 'log:position', whole.position)
if whole.base[1] ~= '0' then
  redis.call('HSET', prefix .. 'log:base', 'position', whole.base[1], 'head', whole.base[2])
end
in_parts('HSET', prefix .. 'log:receipts', whole.receipts, 1000)
for name, text in pairs(whole.tables) do
  redis.call('SET', prefix .. 'table:' .. name, text)
  if not string.find(name, ':', 1, true) then
    redis.call('SADD', prefix .. 'tables', name)
  end
end
audit(prefix, ARGV[4], ARGV[3], whole.position .. ' entries', ARGV[5], {})
return 1
"""
)

SNAPSHOT = """
-- Read keys as of one moment. ARGV: prefix, patterns (an asterisk stands for anything).
-- Returns the log's position, and name without prefix, type and value of each key.
local prefix, found = ARGV[1], {}
local names = {}
for i = 2, #ARGV do
  if string.find(ARGV[i], '*', 1, true) then
    for _, key in ipairs(redis.call('KEYS', prefix .. ARGV[i])) do
      names[#names + 1] = key
    end
  else
    names[#names + 1] = prefix .. ARGV[i]
  end
end
local readers = {
  string = function(key) return redis.call('GET', key) end,
  hash = function(key) return redis.call('HGETALL', key) end,
  list = function(key) return redis.call('LRANGE', key, 0, -1) end,
  set = function(key) return redis.call('SMEMBERS', key) end,
  zset = function(key)
    local rows = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
    for k = 1, #rows, 2 do
      rows[k], rows[k + 1] = rows[k + 1], rows[k]
    end
    return rows
  end,
  stream = function(key) return redis.call('XRANGE', key, '-', '+') end,
}
for _, key in ipairs(names) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' then
    found[#found + 1] = {string.sub(key, #prefix + 1), kind, readers[kind](key)}
  end
end
return {redis.call('GET', prefix .. 'log:position') or '0', found}
"""
