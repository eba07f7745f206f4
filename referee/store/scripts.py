"""
A match's steps up to its end, as Redis scripts: each happens wholly or not at all.

Arguments travel as one MessagePack array, so that a batch of many matches costs one argument.
Scripts build a match's keys from the namespace's prefix; the store asks for one Redis, no cluster.
"""

from __future__ import annotations

from typing import Any

import msgpack

_TIME = """
local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
"""

OPEN = (
    _TIME
    + """
-- planned or playing -> playing, under a new epoch. ARGV: prefix, match, referee, token.
local prefix, id, referee, token = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local key = prefix .. 'match:' .. id
local head = redis.call('HMGET', key, 'status', 'epoch', 'record', 'opened_ms', 'referee')
local status = head[1]
if status ~= 'planned' and status ~= 'playing' then
  return {0, status or ''}
end
local epoch = (tonumber(head[2]) or 0) + 1
local opened = head[4] or now
redis.call('HSET', key, 'status', 'playing', 'epoch', epoch, 'token', token, 'referee', referee,
  'opened_ms', opened, 'moved_ms', now)
redis.call('ZREM', prefix .. 'matches:planned', id)
redis.call('ZADD', prefix .. 'matches:playing', now, id)
return {1, epoch, head[3], string.format('%.0f', now - opened), head[5] or ''}
"""
)
"""Returns (1, epoch, record, age in ms, referee before) or (0, status)."""

APPEND = (
    _TIME
    + """
-- Append to many journals; each match stands for itself. ARGV: prefix, referee, and a MessagePack
-- array of [match, epoch, token, number of the first entry, [entries], ending or ''].
-- Answers per match: its journal's length if all is well, -1 if another owns it, -2 - length if
-- the numbers do not continue the journal.
local prefix, referee = ARGV[1], ARGV[2]
local answers = {}
for i, part in ipairs(cmsgpack.unpack(ARGV[3])) do
  local id, epoch, token, first, entries, ending = unpack(part)
  local key, list = prefix .. 'match:' .. id, prefix .. 'journal:' .. id
  local head = redis.call('HMGET', key, 'status', 'epoch', 'token')
  local status, known = head[1], tonumber(head[2]) or 0
  local owned = status == 'playing' and known == epoch and head[3] == token
  if not owned and known < epoch and (status == 'planned' or status == 'playing') then
    -- A store that lost its last second has forgotten this epoch; nobody has taken it since.
    redis.call('HSET', key, 'status', 'playing', 'epoch', epoch, 'token', token, 'referee', referee)
    redis.call('HSETNX', key, 'opened_ms', now)
    redis.call('ZREM', prefix .. 'matches:planned', id)
    owned = true
  end
  if not owned then
    answers[i] = -1
  else
    local length = redis.call('LLEN', list)
    if length ~= first then
      answers[i] = -2 - length
    else
      answers[i] = redis.call('RPUSH', list, unpack(entries))
      redis.call('HSET', key, 'moved_ms', now)
      if ending == '' then
        redis.call('ZADD', prefix .. 'matches:playing', now, id)
      else
        redis.call('HSET', key, 'status', 'ended', 'ending', ending, 'ended_ms', now)
        redis.call('ZREM', prefix .. 'matches:playing', id)
        redis.call('ZADD', prefix .. 'matches:ended', now, id)
      end
    end
  end
end
return answers
"""
)

END = (
    _TIME
    + """
-- End a match that no referee plays, under a new epoch, so that a late owner is refused.
-- ARGV: prefix, match, expected epoch, token, MessagePack of [first number, [entries], ending].
local prefix, id = ARGV[1], ARGV[2]
local key, list = prefix .. 'match:' .. id, prefix .. 'journal:' .. id
local head = redis.call('HMGET', key, 'status', 'epoch')
local status, epoch = head[1], tonumber(head[2]) or 0
if (status ~= 'planned' and status ~= 'playing') or epoch ~= tonumber(ARGV[3]) then
  return 0
end
local first, entries, ending = unpack(cmsgpack.unpack(ARGV[5]))
if redis.call('LLEN', list) ~= first then
  return 0
end
redis.call('RPUSH', list, unpack(entries))
redis.call('HSET', key, 'status', 'ended', 'epoch', epoch + 1, 'token', ARGV[4], 'ending', ending,
  'moved_ms', now, 'ended_ms', now)
redis.call('ZREM', prefix .. 'matches:planned', id)
redis.call('ZREM', prefix .. 'matches:playing', id)
redis.call('ZADD', prefix .. 'matches:ended', now, id)
return 1
"""
)
"""Returns 1 if it ended the match, 0 if the match has moved on meanwhile."""


def packed(value: Any) -> bytes:
    """Arguments for a script, bytes and text alike as plain strings."""
    data: bytes = msgpack.packb(value, use_bin_type=False)
    return data
