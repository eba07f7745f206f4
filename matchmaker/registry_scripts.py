"""The registry's Redis scripts: who may play, and what authors are told. See `scripts`."""

from __future__ import annotations

from matchmaker.lua import APPEND, AUDIT, HISTORY, TIME

ADMIT = (
    TIME
    + APPEND
    + HISTORY
    + AUDIT
    + """
-- Add a bot, or give a known one a new token. ARGV: prefix, name, author, digest of the token,
-- may it be known already, house, by, its entry for the log, why.
-- Returns 1 added, 2 new token, 0 known and not wanted so, -1 the name belongs to another author,
-- -2 the bot or its author is banned.
local prefix, name, author, digest = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local key = prefix .. 'bot:' .. name
local bans = redis.call('HMGET', prefix .. 'bans', 'bot ' .. name, 'author ' .. author)
if bans[1] or bans[2] then
  return -2
end
local head = redis.call('HMGET', key, 'author', 'token', 'owner')
local owner = head[1] or head[3]
if owner and owner ~= author then
  return -1
end
if head[1] and ARGV[5] ~= '1' then
  return 0
end
if head[2] then
  redis.call('DEL', prefix .. 'token:' .. head[2])
end
redis.call('SET', prefix .. 'token:' .. digest, name)
redis.call('HSET', key, 'author', author, 'owner', author, 'token', digest)
redis.call('SADD', prefix .. 'bots', name)
if head[1] then
  remember(prefix, name, 'rotated', 'a new token', ARGV[7])
  audit(prefix, ARGV[7], 'bot rotate', name, ARGV[9], {name})
  return 2
end
redis.call('HSET', key, 'added_ms', now, 'paused', '', 'paused_until', 0, 'house', ARGV[6])
if not owner then
  append(prefix, ARGV[8])
end
remember(prefix, name, 'added', 'by author ' .. author, ARGV[7])
audit(prefix, ARGV[7], 'bot add', name, ARGV[9], {name})
return 1
"""
)

CHANGE = (
    TIME
    + HISTORY
    + AUDIT
    + """
-- Pause, resume or remove a bot. ARGV: prefix, name, what, text, paused_until, by.
-- Returns 1 done, 2 it was so before, 0 there is no such bot, -1 it is banned.
local prefix, name, what, text = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local key = prefix .. 'bot:' .. name
local head = redis.call('HMGET', key, 'author', 'paused', 'token')
if not head[1] then
  return 0
end
local bans = redis.call('HMGET', prefix .. 'bans', 'bot ' .. name, 'author ' .. head[1])
if what ~= 'removed' and (bans[1] or bans[2]) then
  return -1
end
if what == 'paused' then
  redis.call('HSET', key, 'paused', text, 'paused_until', ARGV[5])
elseif what == 'resumed' then
  if (head[2] or '') == '' then
    return 2
  end
  redis.call('HSET', key, 'paused', '', 'paused_until', 0)
else
  redis.call('HDEL', key, 'author', 'token')
  redis.call('DEL', prefix .. 'token:' .. (head[3] or ''))
  redis.call('SREM', prefix .. 'bots', name)
  redis.call('SREM', prefix .. 'first', name)
end
remember(prefix, name, what, text, ARGV[6])
local commands = {paused = 'bot pause', resumed = 'bot resume', removed = 'bot remove'}
audit(prefix, ARGV[6], commands[what], name, text, {name})
return 1
"""
)

UNPAUSE = (
    TIME
    + HISTORY
    + """
-- Resume the bots whose pause is over. ARGV: prefix, term's token. Returns their names.
local prefix = ARGV[1]
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return {}
end
local resumed = {}
for _, name in ipairs(redis.call('SMEMBERS', prefix .. 'bots')) do
  local key = prefix .. 'bot:' .. name
  local head = redis.call('HMGET', key, 'paused', 'paused_until')
  local till = tonumber(head[2] or 0) or 0
  if (head[1] or '') ~= '' and till > 0 and till <= tonumber(now) then
    redis.call('HSET', key, 'paused', '', 'paused_until', 0)
    remember(prefix, name, 'resumed', 'the pause is over', 'ladder')
    resumed[#resumed + 1] = name
  end
end
return resumed
"""
)

VERSION = (
    TIME
    + HISTORY
    + """
-- Keep that a bot has come with a version. ARGV: prefix, bot, version. Returns whether it is new.
local key = ARGV[1] .. 'versions:' .. ARGV[2]
if redis.call('HEXISTS', key, ARGV[3]) == 1 then
  return 0
end
-- In their order, though a machine's clock may be set back.
local seen = tonumber(now)
for _, at in ipairs(redis.call('HVALS', key)) do
  seen = math.max(seen, tonumber(at) + 1)
end
redis.call('HSET', key, ARGV[3], string.format('%.0f', seen))
remember(ARGV[1], ARGV[2], 'version', ARGV[3], 'ladder')
return 1
"""
)

REMEMBER = (
    TIME
    + HISTORY
    + """
-- Tell a bot's author something. ARGV: prefix, bot, what, text, by.
if redis.call('HEXISTS', ARGV[1] .. 'bot:' .. ARGV[2], 'author') == 1 then
  remember(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
end
return 1
"""
)

BAN = (
    TIME
    + HISTORY
    + AUDIT
    + """
-- Ban a bot or an author until it is lifted: tokens open nothing, no new matches, running ones are
-- to be cancelled. ARGV: prefix, 'bot' or 'author', name, why, by.
-- Returns {1, matches...}, {2} banned before, {0} there is none.
local prefix, kind, name, why, by = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local bots = {}
for _, bot in ipairs(redis.call('SMEMBERS', prefix .. 'bots')) do
  local author = redis.call('HGET', prefix .. 'bot:' .. bot, 'author')
  if (kind == 'bot' and bot or author) == name then
    bots[#bots + 1] = bot
  end
end
if #bots == 0 then
  return {0}
end
if redis.call('HSETNX', prefix .. 'bans', kind .. ' ' .. name, why) == 0 then
  return {2}
end
table.sort(bots)
local found = {1}
for _, bot in ipairs(bots) do
  local key = prefix .. 'bot:' .. bot
  redis.call('DEL', prefix .. 'token:' .. redis.call('HGET', key, 'token'))
  redis.call('HSET', key, 'paused', 'banned: ' .. why, 'paused_until', 0)
  redis.call('SREM', prefix .. 'first', bot)
  remember(prefix, bot, 'banned', why, by)
  for _, id in ipairs(redis.call('SMEMBERS', prefix .. 'places:' .. bot)) do
    local status = redis.call('HGET', prefix .. 'match:' .. id, 'status')
    if status == 'planned' or status == 'playing' then
      local text = 'an operator cancelled it: ' .. bot .. ' is banned'
      redis.call('HSET', prefix .. 'cancels', id, text)
      found[#found + 1] = id
    end
  end
end
audit(prefix, by, kind .. ' ban', name, why, bots)
return found
"""
)

UNBAN = (
    TIME
    + HISTORY
    + AUDIT
    + """
-- Lift a ban: tokens are good again. ARGV: prefix, 'bot' or 'author', name, why, by.
-- Returns whether there was one.
local prefix, kind, name, why, by = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local bans = prefix .. 'bans'
if redis.call('HDEL', bans, kind .. ' ' .. name) == 0 then
  return 0
end
local bots = {}
for _, bot in ipairs(redis.call('SMEMBERS', prefix .. 'bots')) do
  local key = prefix .. 'bot:' .. bot
  local head = redis.call('HMGET', key, 'author', 'token')
  if (kind == 'bot' and bot or head[1]) == name then
    bots[#bots + 1] = bot
    local left = redis.call('HMGET', bans, 'bot ' .. bot, 'author ' .. head[1])
    if left[1] or left[2] then -- banned in the other way too
      redis.call('HSET', key, 'paused', 'banned: ' .. (left[1] or left[2]))
    else
      redis.call('SET', prefix .. 'token:' .. head[2], bot)
      redis.call('HSET', key, 'paused', '', 'paused_until', 0)
    end
    remember(prefix, bot, 'unbanned', why, by)
  end
end
table.sort(bots)
audit(prefix, by, kind .. ' unban', name, why, bots)
return 1
"""
)
