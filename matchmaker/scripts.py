"""
The matchmaker's Redis scripts: each step happens wholly or not at all.

Scripts build their keys from the namespace's prefix; lists travel as MessagePack. What a leader
does carries its term's token, and is refused when another leads.
"""

from __future__ import annotations

from matchmaker.lua import APPEND as _APPEND
from matchmaker.lua import HISTORY as _HISTORY
from matchmaker.lua import TIME as _TIME

LEAD = (
    _TIME
    + """
-- Take the lead if nobody has it. ARGV: prefix, token, milliseconds.
-- Returns the term's number, or 0.
local prefix = ARGV[1]
if not redis.call('SET', prefix .. 'leader', ARGV[2], 'NX', 'PX', ARGV[3]) then
  return 0
end
return redis.call('INCR', prefix .. 'terms')
"""
)

RENEW = """
-- Keep the lead. ARGV: prefix, token, milliseconds (0 gives it up). Returns whether we have it.
local key = ARGV[1] .. 'leader'
if redis.call('GET', key) ~= ARGV[2] then
  return 0
end
if ARGV[3] == '0' then
  redis.call('DEL', key)
else
  redis.call('PEXPIRE', key, ARGV[3])
end
return 1
"""

PLAN = (
    _TIME
    + """
-- Plan matches one after the other, up to the first that cannot be. ARGV: prefix, term's token,
-- MessagePack array of
-- [match, number, record, game, bots, places of each bot, pairing, its bytes, is it new].
-- Answers per match, the last of them may be a refusal: {1} planned, {-1} another leads, {-2} the
-- number is not the next one, {-3, bot} a bot has no place, is paused or gone.
local prefix = ARGV[1]
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return {{-1}}
end
local last = tonumber(redis.call('GET', prefix .. 'number') or 0)
local function refusal(number, bots, places)
  if last ~= number - 1 then
    return {-2}
  end
  for i, bot in ipairs(bots) do
    local head = redis.call('HMGET', prefix .. 'bot:' .. bot, 'author', 'paused')
    if not head[1] or (head[2] and head[2] ~= '')
      or redis.call('SCARD', prefix .. 'places:' .. bot) >= places[i] then
      return {-3, bot}
    end
  end
end
local answers = {}
for i, plan in ipairs(cmsgpack.unpack(ARGV[3])) do
  local id, number, record, game, bots, places, pairing, bytes, fresh = unpack(plan)
  local refused = refusal(number, bots, places)
  if refused then
    answers[i] = refused
    break
  end
  local slots = 1
  for k, bot in ipairs(bots) do
    redis.call('SADD', prefix .. 'places:' .. bot, id)
    slots = math.max(slots, places[k])
  end
  redis.call('SREM', prefix .. 'first', unpack(bots))
  redis.call('SET', prefix .. 'number', number)
  redis.call('HSET', prefix .. 'match:' .. id, 'record', record, 'status', 'planned',
    'planned_ms', now, 'queued_ms', now, 'slots', slots)
  redis.call('ZADD', prefix .. 'matches:planned', now, id)
  redis.call('ZADD', prefix .. 'open', number, id)
  redis.call('HSET', prefix .. 'pairings', pairing, bytes)
  redis.call('RPUSH', prefix .. 'outbox', id)
  if fresh then
    redis.call('LPUSH', prefix .. 'recent:' .. game, table.concat(bots, ' '))
    redis.call('LTRIM', prefix .. 'recent:' .. game, 0, 1999)
  end
  last = number
  answers[i] = {1}
end
return answers
"""
)

CLOSE = (
    _TIME
    + _APPEND
    + _HISTORY
    + """
-- Close an ended match: one result for each match id, places given back, journal gone.
-- ARGV: prefix, match, entry, digest of the entry, MessagePack of
-- {bots, absent, opponents of the absent, bots at fault, bots that played soundly, is it a case},
-- how many positions of results are kept of each bot.
-- Returns {1, receipt} closed now, {2, receipt} the same result was there, {3, receipt} another
-- result was there and this one is refused, {0, status} it has not ended.
local prefix, id, entry, digest = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local receipts = prefix .. 'log:receipts'
local known = redis.call('HGET', receipts, id)
if known then
  if string.sub(known, -string.len(digest) - 1) == ':' .. digest then
    return {2, known}
  end
  redis.call('INCR', prefix .. 'log:refusals')
  redis.call('LPUSH', prefix .. 'log:refused', id .. ' ' .. digest)
  redis.call('LTRIM', prefix .. 'log:refused', 0, 199)
  return {3, known}
end
local key = prefix .. 'match:' .. id
local status = redis.call('HGET', key, 'status')
if status ~= 'ended' then
  return {0, status or ''}
end
local bots, absent, waiting, faulty, sound, case = unpack(cmsgpack.unpack(ARGV[5]))
local position = append(prefix, entry)
local receipt = position .. ':' .. digest
redis.call('HSET', receipts, id, receipt)
for _, bot in ipairs(bots) do
  local key = prefix .. 'results:' .. bot
  redis.call('LPUSH', key, position)
  redis.call('LTRIM', key, 0, tonumber(ARGV[6]) - 1)
end

local pauses = {60, 600, 1800}
-- A pause that holds until it is resumed, or longer than ours, stays as it is.
local function pause(bot, streak, reason)
  local key = prefix .. 'bot:' .. bot
  local seconds = pauses[math.min(#pauses, streak)]
  local till = now + seconds * 1000
  local head = redis.call('HMGET', key, 'paused', 'paused_until')
  local known_till = tonumber(head[2] or 0) or 0
  if (head[1] or '') ~= '' and (known_till == 0 or known_till >= till) then
    return
  end
  redis.call('HSET', key, 'paused', reason, 'paused_until', string.format('%.0f', till))
  local text = reason .. ' for ' .. seconds .. ' s (match ' .. id .. ')'
  remember(prefix, bot, 'paused', text, 'ladder')
end
local function known_bot(bot)
  return redis.call('HEXISTS', prefix .. 'bot:' .. bot, 'author') == 1
end
for _, bot in ipairs(bots) do
  redis.call('SREM', prefix .. 'places:' .. bot, id)
end
for _, bot in ipairs(absent) do
  if known_bot(bot) then
    pause(bot, redis.call('HINCRBY', prefix .. 'bot:' .. bot, 'absent', 1), 'no_show')
  end
end
for _, bot in ipairs(waiting) do
  if known_bot(bot) then
    redis.call('SADD', prefix .. 'first', bot)
  end
end
for _, bot in ipairs(faulty) do
  if known_bot(bot) then
    redis.call('HSET', prefix .. 'bot:' .. bot, 'absent', 0)
    local streak = redis.call('HINCRBY', prefix .. 'bot:' .. bot, 'faulty', 1)
    if streak >= 5 then
      pause(bot, streak - 4, 'faulty')
    end
  end
end
for _, bot in ipairs(sound) do
  if known_bot(bot) then
    redis.call('HSET', prefix .. 'bot:' .. bot, 'absent', 0, 'faulty', 0)
  end
end
if case then
  redis.call('LPUSH', prefix .. 'cases', id)
  redis.call('LTRIM', prefix .. 'cases', 0, 199)
end
redis.call('DEL', key, prefix .. 'journal:' .. id)
redis.call('HDEL', prefix .. 'cancels', id)
redis.call('ZREM', prefix .. 'matches:ended', id)
redis.call('ZREM', prefix .. 'open', id)
return {1, receipt}
"""
)

ABSENT = (
    _TIME
    + """
-- Note which seats of a match without an owner are absent, though a referee is there that could
-- play it; -1 stands for bots that are at different referees.
-- ARGV: prefix, match, MessagePack of the seats' numbers (none: nobody is, or no referee is there),
-- milliseconds after which an earlier look says nothing any more.
-- Returns for each of them how long it has been found absent, in milliseconds; nothing if the match
-- has ended.
local key = ARGV[1] .. 'match:' .. ARGV[2]
local head = redis.call('HMGET', key, 'status', 'absent', 'absent_seen_ms')
if head[1] ~= 'planned' and head[1] ~= 'playing' then
  return {}
end
local before = {}
if head[2] and now - tonumber(head[3]) <= tonumber(ARGV[4]) then
  before = cjson.decode(head[2])
end
local since, waited = {}, {}
for i, seat in ipairs(cmsgpack.unpack(ARGV[3])) do
  local name = tostring(seat)
  since[name] = before[name] or tonumber(now)
  waited[i] = now - since[name]
end
redis.call('HSET', key, 'absent', cjson.encode(since), 'absent_seen_ms', now)
return waited
"""
)

TRY = """
-- Count an attempt to close an ended match. ARGV: prefix, match, 1 or -1 (it counts not after all).
-- Returns the attempts, or 0 if it has been closed meanwhile.
local key = ARGV[1] .. 'match:' .. ARGV[2]
if redis.call('HGET', key, 'status') ~= 'ended' then
  return 0
end
return redis.call('HINCRBY', key, 'closes', ARGV[3])
"""

REQUEUE = (
    _TIME
    + """
-- Note that a match's job is queued anew, if the match still stands where we saw it.
-- ARGV: prefix, term's token, match, status, epoch, queued_ms as seen, fields to set.
-- Returns 1, 0 if it has moved on, -1 if another leads.
local prefix = ARGV[1]
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return -1
end
local key = prefix .. 'match:' .. ARGV[3]
local head = redis.call('HMGET', key, 'status', 'epoch', 'queued_ms')
if head[1] ~= ARGV[4] or (tonumber(head[2]) or 0) ~= tonumber(ARGV[5])
  or (tonumber(head[3]) or 0) ~= tonumber(ARGV[6]) then
  return 0
end
redis.call('HSET', key, 'queued_ms', now)
for field, value in pairs(cmsgpack.unpack(ARGV[7])) do
  redis.call('HSET', key, field, value)
end
return 1
"""
)

SAVE = """
-- Write the rater's work if we lead. ARGV: prefix, term's token, MessagePack of
-- {tables: game -> JSON, who met whom: game -> JSON, fold: bytes or ''}. Returns whether it did.
local prefix = ARGV[1]
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return 0
end
local tables, meetings, fold = unpack(cmsgpack.unpack(ARGV[3]))
for game, text in pairs(tables) do
  redis.call('SET', prefix .. 'table:' .. game, text)
  if not string.find(game, ':', 1, true) then -- of a season that is over otherwise
    redis.call('SADD', prefix .. 'tables', game)
  end
end
for game, text in pairs(meetings) do
  redis.call('SET', prefix .. 'head_to_head:' .. game, text)
end
if fold ~= '' then
  redis.call('SET', prefix .. 'fold', fold)
end
return 1
"""

TRIM = """
-- Forget the log up to a position whose entries are in the archive, if we lead.
-- ARGV: prefix, term's token, position, head there, matches whose receipts go (MessagePack).
local prefix = ARGV[1]
if redis.call('GET', prefix .. 'leader') ~= ARGV[2] then
  return 0
end
redis.call('HSET', prefix .. 'log:base', 'position', ARGV[3], 'head', ARGV[4])
redis.call('XTRIM', prefix .. 'log', 'MINID', (tonumber(ARGV[3]) + 1) .. '-0')
for _, id in ipairs(cmsgpack.unpack(ARGV[5])) do
  redis.call('HDEL', prefix .. 'log:receipts', id)
end
return 1
"""

NOTE = (
    _TIME
    + _APPEND
    + """
-- Append an entry that is no result. ARGV: prefix, entry. Returns its position.
return append(ARGV[1], ARGV[2])
"""
)
