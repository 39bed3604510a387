import { MemoryAuditSink } from "#audit/sinks/memory-audit-sink.js";
import { MAX_TIMER_MS } from "#core/clock.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { type Codec, plainCodec } from "#core/ports/codec.js";
import type { HostRequestStore } from "#core/ports/host-requests.js";
import type { RateLimitStore } from "#core/ports/rate-limit-store.js";
import type { RunStore } from "#core/ports/run-store.js";
import { mountedRuns, type StoreSet } from "#core/ports/store-set.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { MemoryIdempotency } from "#std/memory/memory-idempotency.js";
import { MemorySessions } from "#std/memory/memory-sessions.js";
import { type RedisStores, redisStores } from "./redis/redis-stores.js";
import { requireServiceName } from "./sql/service.js";
import { storeUrl } from "./sql/store-url.js";
import { type StoreParts, sqlStores } from "./sql-stores.js";
import { redisErasureSinks } from "./subjects/redis-erasure.js";

export interface StoresOptions {
  /** Whether opening applies migrations. If not, tables of another version are STORE_VERSION. Default true. */
  readonly autoMigrate?: boolean;
  /** Days for which a run is kept after it has ended. Default 30. */
  readonly retainDays?: number;
  /**
   * Days for which a dead letter is kept after its newest failure, and a run that is stuck or fits no
   * release after its newest entry. Default 365.
   */
  readonly retainLettersDays?: number;
  /**
   * The name of the service: runs, keys, locks, letters and sessions of other services in these tables are not
   * its own. Default none, which only one service may have. It is the default prefix of keys in Redis, too.
   */
  readonly service?: string;
  /** Encodes texts of the application: an `EncryptionHook`. Default: as they are. */
  readonly codec?: Codec;
  /** Time limit of a call of Redis in milliseconds. Default 500. */
  readonly redisTimeoutMs?: number;
  /**
   * Replicas of Redis that must know of a lock before it is acquired, so that the promotion of one forgets it
   * more rarely. It takes a round trip more, and half the time limit where replicas lag. Default 0.
   */
  readonly lockReplicas?: number;
  /**
   * Whether a process is not ready while Redis fails. Default false: guards decide then, and a balancer
   * would lose all processes at once.
   */
  readonly readyNeedsRedis?: boolean;
}

type Place = "sql" | "redis";

/** Where the stores of a service are. Runs, dead letters, audit and requests are always in `sql`. */
export interface StoreAddresses {
  /** The URL of a database, as of {@link openStores}. */
  readonly sql: string;
  /** `redis://user:password@host:port/database`, or `rediss://` for TLS. */
  readonly redis?: string;
  /** Rates of all processes. Default: Redis; without it each process counts by itself. */
  readonly rates?: Place;
  /** Default: Redis if there is one, as for the others. */
  readonly sessions?: Place;
  /** Responses under idempotency keys. */
  readonly keys?: Place;
  readonly locks?: Place;
}

/** The stores of one service, in one database or beside Redis. Made by {@link openStores}. */
export class Stores implements StoreSet {
  /** For `withPersistenceStore`: the runs of the ingress on which the Axon is mounted, given to its `stores`. */
  static readonly mounted: RunStore = mountedRuns;

  readonly shown: string;
  readonly retainDays: number;
  declare readonly retainLettersDays?: number;
  declare readonly runs: StoreSet["runs"];
  declare readonly deadLetters: StoreSet["deadLetters"];
  declare readonly sessions: StoreSet["sessions"];
  declare readonly idempotency: StoreSet["idempotency"];
  declare readonly locks: StoreSet["locks"];
  /** Locks of all services that share the tables. */
  declare readonly sharedLocks: StoreSet["locks"];
  declare readonly rates?: RateLimitStore;
  declare readonly rooms?: NonNullable<StoreSet["rooms"]>;
  declare readonly channels?: NonNullable<StoreSet["channels"]>;
  declare readonly requests?: HostRequestStore;
  declare readonly erasure?: NonNullable<StoreSet["erasure"]>;
  declare readonly audit: StoreSet["audit"];
  declare readonly sweep: NonNullable<StoreSet["sweep"]>;
  declare readonly open: StoreSet["open"];
  declare readonly look?: NonNullable<StoreSet["look"]>;
  declare readonly check: StoreSet["check"];
  declare readonly sharedCheck?: NonNullable<StoreSet["sharedCheck"]>;
  declare readonly warnings: NonNullable<StoreSet["warnings"]>;
  declare readonly failures?: NonNullable<StoreSet["failures"]>;
  declare readonly close: StoreSet["close"];

  /** @internal */
  constructor(given: string | StoreAddresses, options: StoresOptions) {
    requireKnownOptions("openStores", options, OPTIONS);
    const { codec = plainCodec, retainDays = 30, retainLettersDays = 365 } = options;
    const { service, redisTimeoutMs = 500, readyNeedsRedis = false } = options;
    const lockReplicas = requireWhole("openStores", "lockReplicas", options.lockReplicas ?? 0, 0, 100);
    requireServiceName(service);
    const addresses = addressesOf(given);
    const parsed = storeUrl(addresses.sql);
    this.retainDays = requireWhole("openStores", "retainDays", retainDays, 1, 36_500);
    const lettersDays = requireWhole("openStores", "retainLettersDays", retainLettersDays, 1, 36_500);
    const timeoutMs = requireWhole("openStores", "redisTimeoutMs", redisTimeoutMs, 1, MAX_TIMER_MS);
    const hasRates = addresses.rates === "sql";
    const parts =
      parsed.kind === "memory"
        ? memoryStores()
        : sqlStores(parsed, { ...options, codec, retainDays, lettersDays, hasRates });
    const { redis: url } = addresses;
    if (url === undefined) {
      this.shown = parsed.shown;
      Object.assign(this, parts);
      return;
    }
    const uses = USES.filter((use) => addresses[use] !== "sql");
    const keeps = [...uses, "rooms", "channels"] as const;
    const redis = redisStores(url, { service, codec, lockReplicas, timeoutMs, keeps });
    this.shown = `${parsed.shown} and ${redis.connection.shown}`;
    Object.assign(this, joined(parts, redis, uses, readyNeedsRedis));
  }
}

const OPTIONS = [
  ...["autoMigrate", "retainDays", "retainLettersDays", "service", "codec"],
  ...["redisTimeoutMs", "lockReplicas", "readyNeedsRedis"],
];
const USES = ["rates", "sessions", "keys", "locks"] as const;

function memoryStores(): StoreParts {
  const nothing = async (): Promise<void> => {};
  const locks = new MemoryLocks();
  return {
    runs: new MemoryRuns(),
    deadLetters: new MemoryDeadLetters(),
    sessions: new MemorySessions(),
    idempotency: new MemoryIdempotency(),
    locks,
    sharedLocks: locks,
    audit: new MemoryAuditSink(),
    sweep: nothing,
    open: nothing,
    check: nothing,
    warnings: () => [],
    close: nothing,
  };
}

/** Those of the database, but for `uses`, which are in Redis. `look` is of the database alone. */
function joined(
  parts: StoreParts,
  { connection, ...redis }: RedisStores,
  uses: readonly (typeof USES)[number][],
  critical: boolean,
): StoreParts {
  const both = async (calls: readonly Promise<void>[]): Promise<void> => {
    const failed = (await Promise.allSettled(calls)).find(({ status }) => status === "rejected");
    if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
  };
  const { erasure } = parts;
  const erased = redisErasureSinks({
    sessions: uses.includes("sessions") ? redis.sessions : undefined,
    keys: uses.includes("keys") ? redis.idempotency : undefined,
  });
  return {
    ...parts,
    ...(uses.includes("rates") && { rates: redis.rates }),
    ...(uses.includes("sessions") && { sessions: redis.sessions }),
    ...(uses.includes("keys") && { idempotency: redis.idempotency }),
    ...(uses.includes("locks") && { locks: redis.locks }),
    rooms: redis.rooms,
    channels: redis.channels,
    ...(erasure !== undefined && { erasure: { ...erasure, sinks: [...erasure.sinks, ...erased] } }),
    open: () => both([parts.open(), connection.open()]),
    sharedCheck: { critical, run: connection.check },
    warnings: () => [...parts.warnings(), ...connection.warnings()],
    failures: redis.failures,
    close: () => both([parts.close(), redis.close()]),
  };
}

/** Throws CONFIG_INVALID. */
function addressesOf(given: string | StoreAddresses): StoreAddresses {
  if (typeof given === "string") return { sql: given };
  const call = "openStores";
  requireKnownOptions(call, given, ["sql", "redis", ...USES]);
  if (typeof given.sql !== "string")
    throw invalidOption(call, "sql is missing: runs need a database, as in { sql: 'sqlite:app.db', redis }");
  for (const use of USES) {
    const place = given[use];
    if (place !== undefined && place !== "sql" && place !== "redis")
      throw invalidOption(call, `${use} is "sql" or "redis"`);
    if (place === "redis" && given.redis === undefined)
      throw invalidOption(call, `${use} is to be in Redis: give its address, { redis: "redis://..." }`);
  }
  return given;
}

/**
 * Stores over one database: `sqlite:PATH`, `postgres://user:password@host/database` or `memory:`. Several
 * hosts of PostgreSQL, `a:5432,b:5432`, are tried in order: the first that takes writes is used.
 * Parameters of PostgreSQL's, `?NAME=VALUE&...`: `schema` (default framework) and `prefix` of the
 * tables; `host`, the folder of a unix socket; `sslmode`, which is verify-full but for this machine,
 * where it is disable, or no-verify; `sslrootcert`, a file of the authorities that are trusted.
 * With `{ sql, redis }` rates, sessions, idempotency keys, locks, rooms and channels are in Redis.
 * Checks the URLs and opens nothing: the ingress that has them does, or the first call of a store.
 */
export const openStores = (addresses: string | StoreAddresses, options: StoresOptions = {}): Stores =>
  new Stores(addresses, options);
