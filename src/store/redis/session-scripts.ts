// The scripts of sessions in Redis. Each is of one slot: that of a session, or that of an owner.
//
// A session is a hash under its first key. Its fields: k the key that it has now, o owner, g generation,
// i end unless it is touched, x end, c when it began, v version, l and lk login, d and dk data. A field
// `rKEY` is the time until which it is known that KEY was replaced. A later key is a hash with the
// field p: the first one. A hash with the field e has no session of that generation any more.

import { REPLACED_MS } from "#core/ports/session-store.js";
import type { RedisScript } from "./redis-connection.js";

/** Keys stay so long after their time: clocks of processes differ. */
export const MARGIN_MS = 3_600_000;

/** `kind` of the session under the key ARGV[1] at the time ARGV[2]. */
const SESSION = `
  local s = redis.call('HMGET', KEYS[1], 'p', 'k', 'i', 'x', 'o', 'g', 'v', 'r' .. ARGV[1])
  if s[1] then return {'at', s[1]} end
  local now = tonumber(ARGV[2])
  local kind = 'unknown'
  if s[2] == ARGV[1] then
    if tonumber(s[3]) > now then kind = 'live' else kind = 'expired' end
  elseif s[8] and tonumber(s[8]) > now then kind = 'replaced' end`;

const RECORD = "'c', 'x', 'i', 'v', 'l', 'lk', 'd', 'dk'";

const session = (name: string, lua: string): RedisScript => ({
  ...{ name: `session${name}`, keys: 1, lua: `${SESSION}\n${lua}` },
});

export const FIND = session(
  "Find",
  `if kind ~= 'live' then return {kind} end
  return {kind, s[5], s[6], redis.call('HMGET', KEYS[1], ${RECORD})}`,
);

/** ARGV: until. */
export const TOUCH = session(
  "Touch",
  `if kind ~= 'live' then return {kind} end
  if tonumber(ARGV[3]) > tonumber(s[3]) then
    local till = ARGV[3]
    if tonumber(till) > tonumber(s[4]) then till = s[4] end
    redis.call('HSET', KEYS[1], 'i', till)
    redis.call('PEXPIRE', KEYS[1], math.ceil(till - now) + ${MARGIN_MS})
  end
  return {kind, s[5], s[6]}`,
);

/** ARGV: version, data, their key id. */
export const UPDATE = session(
  "Update",
  `if kind ~= 'live' then return {kind} end
  if s[7] ~= ARGV[3] then return {'changed', s[5], s[6]} end
  redis.call('HSET', KEYS[1], 'd', ARGV[4], 'dk', ARGV[5])
  redis.call('HINCRBY', KEYS[1], 'v', 1)
  return {'updated', s[5], s[6]}`,
);

/** ARGV: the other key, login, its key id, until when the old key is known. */
export const ROTATE = session(
  "Rotate",
  `if kind ~= 'live' then return {kind} end
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if #field > 2 and tonumber(redis.call('HGET', KEYS[1], field)) <= now then
      redis.call('HDEL', KEYS[1], field)
    end
  end
  redis.call('HSET', KEYS[1], 'k', ARGV[3], 'l', ARGV[4], 'lk', ARGV[5], 'r' .. ARGV[1], ARGV[6])
  return {kind, s[5], s[6], redis.call('HMGET', KEYS[1], ${RECORD})}`,
);

export const DESTROY = session(
  "Destroy",
  `if not s[2] or s[2] ~= ARGV[1] then return {kind} end
  redis.call('DEL', KEYS[1])
  return {kind, s[5], s[6]}`,
);

/** Of a session whose client gets another one. ARGV: until when the key is known. */
export const REPLACE = session(
  "Replace",
  `if not s[2] or s[2] ~= ARGV[1] then return {kind} end
  redis.call('HDEL', KEYS[1], 'k', 'o', 'g', ${RECORD})
  redis.call('HSET', KEYS[1], 'r' .. ARGV[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ${REPLACED_MS + MARGIN_MS})
  return {kind}`,
);

/** ARGV: the first key, milliseconds. */
export const POINT: RedisScript = {
  name: "sessionPoint",
  keys: 1,
  lua: `redis.call('HSET', KEYS[1], 'p', ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return 1`,
};

/** Of a key that no client has got. */
export const UNPOINT: RedisScript = {
  name: "sessionUnpoint",
  keys: 1,
  lua: "if redis.call('HEXISTS', KEYS[1], 'p') == 1 then redis.call('DEL', KEYS[1]) end return 1",
};

/** ARGV: generation, milliseconds, fields and values. 0: this generation has ended. */
export const PUT: RedisScript = {
  name: "sessionPut",
  keys: 1,
  lua: `if redis.call('HGET', KEYS[1], 'e') == ARGV[1] then return 0 end
    redis.call('DEL', KEYS[1])
    redis.call('HSET', KEYS[1], 'g', ARGV[1], unpack(ARGV, 3))
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return 1`,
};

/**
 * Ends a session of this generation. ARGV: generation, now. 2: it was live; 1: it was there; 0: it was
 * not, and if it is about to be put, it has to be of another generation.
 */
export const END: RedisScript = {
  name: "sessionEnd",
  keys: 1,
  lua: `local s = redis.call('HMGET', KEYS[1], 'k', 'g', 'i')
    if s[1] then
      redis.call('DEL', KEYS[1])
      if s[2] == ARGV[1] and tonumber(s[3]) > tonumber(ARGV[2]) then return 2 end
      return 1
    end
    if ARGV[1] ~= '' then
      redis.call('HSET', KEYS[1], 'e', ARGV[1])
      redis.call('PEXPIRE', KEYS[1], ${REPLACED_MS + MARGIN_MS})
    end
    return 0`,
};

/** Whatever its state: for an export. */
export const READ: RedisScript = {
  name: "sessionRead",
  keys: 1,
  lua: `return redis.call('HMGET', KEYS[1], 'o', ${RECORD})`,
};

/**
 * Adds the session ARGV[1] to those of its owner until ARGV[2], and removes those from before ARGV[3].
 * Returns the generation: ARGV[5] if there is none. All stay for at least ARGV[4] milliseconds.
 */
export const ENTER: RedisScript = {
  name: "ownerEnter",
  keys: 2,
  lua: `redis.call('SET', KEYS[1], ARGV[5], 'NX')
    redis.call('ZADD', KEYS[2], ARGV[2], ARGV[1])
    redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[3])
    for _, key in ipairs(KEYS) do
      if redis.call('PTTL', key) < tonumber(ARGV[4]) then redis.call('PEXPIRE', key, ARGV[4]) end
    end
    return redis.call('GET', KEYS[1])`,
};

/** Removes sessions of the owner. Returns the generation. */
export const LEAVE: RedisScript = {
  name: "ownerLeave",
  keys: 2,
  lua: `if #ARGV > 0 then redis.call('ZREM', KEYS[2], unpack(ARGV)) end
    return redis.call('GET', KEYS[1])`,
};

/** Ends the generation. Returns it and the sessions. */
export const TAKE: RedisScript = {
  name: "ownerTake",
  keys: 2,
  lua: `local generation = redis.call('GET', KEYS[1])
    redis.call('DEL', KEYS[1])
    return {generation or '', redis.call('ZRANGE', KEYS[2], 0, -1)}`,
};

/** The sessions of an owner. */
export const LIST: RedisScript = {
  name: "ownerList",
  keys: 1,
  lua: "return redis.call('ZRANGE', KEYS[1], 0, -1)",
};
