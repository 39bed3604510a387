// Locks in Redis: a key with the token of its holder, and the time of its lease.
//
// A token is the greater of the server's time in milliseconds and the last token + 1. So tokens grow where
// the last one is lost, too, if clocks of servers agree: after a promotion, or with its data gone. Over
// replicas a lock is best effort all the same: a promoted one may not know of it. Its token is what keeps
// the former holder from doing harm (core/ports/lock.ts); `replicas` makes that rarer.

import { FrameworkError } from "#core/errors.js";
import type { LockLease, LockProvider } from "#core/ports/lock.js";
import { hashed, NOW, type RedisConnection, type RedisScript } from "./redis-connection.js";

/** Longer than clocks are set back, or those of two servers differ. Later, the time alone is greater. */
const LAST_TOKEN_MS = 3_600_000;

const ACQUIRE: RedisScript = {
  ...{ name: "frameworkAcquire", keys: 2 },
  lua: `${NOW}
if redis.call('EXISTS', KEYS[1]) == 1 then return false end
local token = string.format('%.0f', math.max(now, (redis.call('GET', KEYS[2]) or 0) + 1))
redis.call('SET', KEYS[1], token, 'PX', ARGV[1])
redis.call('SET', KEYS[2], token, 'PX', string.format('%.0f', ARGV[1] + ${LAST_TOKEN_MS}))
return token`,
};

const RENEW: RedisScript = {
  ...{ name: "frameworkRenew", keys: 1 },
  lua: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
};

const RELEASE: RedisScript = {
  ...{ name: "frameworkRelease", keys: 1 },
  lua: `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`,
};

export class RedisLocks implements LockProvider {
  readonly #redis: Pick<RedisConnection, "call" | "keyOf" | "replicated">;
  readonly #replicas: number;

  /** `replicas`: how many must know of a lock before it is given. Give it a connection of its own then. */
  constructor(redis: Pick<RedisConnection, "call" | "keyOf" | "replicated">, replicas = 0) {
    this.#redis = redis;
    this.#replicas = replicas;
  }

  readonly acquire = async (key: string, ttlMs: number): Promise<LockLease | undefined> => {
    const lock = this.#keyOf(key);
    const token = await this.#redis.call("locks", ACQUIRE, [lock, `${lock}:last`], [Math.ceil(ttlMs)]);
    if (token === null) return undefined;
    const lease = { key, token: Number(token) };
    if (this.#replicas > 0 && !(await this.#isReplicated(lease)))
      throw new FrameworkError(
        "STORE_UNAVAILABLE",
        `Fewer than ${this.#replicas} replicas know of the lock: it was given back`,
      );
    return lease;
  };

  async #isReplicated(lease: LockLease): Promise<boolean> {
    try {
      if (await this.#redis.replicated(this.#replicas)) return true;
    } catch {
      // Unknown is too few.
    }
    await this.release(lease);
    return false;
  }

  readonly renew = ({ key, token }: LockLease, ttlMs: number): Promise<boolean> =>
    this.#changes(RENEW, key, [token, Math.ceil(ttlMs)]);

  readonly release = ({ key, token }: LockLease): Promise<boolean> => this.#changes(RELEASE, key, [token]);

  readonly #keyOf = (key: string): string => this.#redis.keyOf("lock", hashed(key));

  async #changes(script: RedisScript, key: string, args: readonly number[]): Promise<boolean> {
    return (await this.#redis.call("locks", script, [this.#keyOf(key)], args)) === 1;
  }
}
