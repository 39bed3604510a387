import { MemoryAuditSink } from "#audit/sinks/memory-audit-sink.js";
import { requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { type Codec, plainCodec } from "#core/ports/codec.js";
import type { HostRequestStore } from "#core/ports/host-requests.js";
import type { RunStore } from "#core/ports/run-store.js";
import { mountedRuns, type StoreSet } from "#core/ports/store-set.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";
import { MemoryIdempotency } from "#std/memory/memory-idempotency.js";
import { MemorySessions } from "#std/memory/memory-sessions.js";
import { databaseOf } from "./database-of.js";
import { keysIn, locksIn, runsIn, sessionsIn } from "./in-service.js";
import { deleteLeft } from "./retention.js";
import { SqlRuns } from "./runs/sql-runs.js";
import { requireServiceName, Service, sharedKey } from "./sql/service.js";
import { SqlAudit } from "./sql/sql-audit.js";
import type { SqlDatabase } from "./sql/sql-database.js";
import { SqlDeadLetters } from "./sql/sql-dead-letters.js";
import { SqlIdempotency } from "./sql/sql-idempotency.js";
import { SqlLocks } from "./sql/sql-locks.js";
import { SqlRequests } from "./sql/sql-requests.js";
import { SqlSessions } from "./sql/sql-sessions.js";
import { StoreCheck } from "./sql/store-check.js";
import { storeUrl } from "./sql/store-url.js";
import { SqlErasure } from "./subjects/sql-erasure.js";

const DAY_MS = 86_400_000;

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
   * its own. Default none, which only one service may have.
   */
  readonly service?: string;
  /** Encodes texts of the application: an `EncryptionHook`. Default: as they are. */
  readonly codec?: Codec;
}

/** The stores of one database. Made by {@link openStores}. */
export class Stores implements StoreSet {
  /** For `withPersistenceStore`: the runs of the ingress on which the Axon is mounted, given to its `stores`. */
  static readonly mounted: RunStore = mountedRuns;

  readonly shown: string;
  readonly retainDays: number;
  readonly retainLettersDays?: number;
  readonly runs: StoreSet["runs"];
  readonly deadLetters: StoreSet["deadLetters"];
  readonly sessions: StoreSet["sessions"];
  readonly idempotency: StoreSet["idempotency"];
  readonly locks: StoreSet["locks"];
  readonly requests?: HostRequestStore;
  readonly erasure?: NonNullable<StoreSet["erasure"]>;
  /** Locks of all services that share the tables. */
  readonly sharedLocks: StoreSet["locks"];
  readonly audit: StoreSet["audit"];
  readonly sweep: NonNullable<StoreSet["sweep"]>;
  readonly open: StoreSet["open"];
  readonly look?: NonNullable<StoreSet["look"]>;
  readonly check: StoreSet["check"];
  readonly warnings: NonNullable<StoreSet["warnings"]>;
  readonly close: StoreSet["close"];

  /** @internal */
  constructor(url: string, options: StoresOptions) {
    requireKnownOptions("openStores", options, [
      "autoMigrate",
      "retainDays",
      "retainLettersDays",
      "service",
      "codec",
    ]);
    const { codec = plainCodec, retainDays = 30, retainLettersDays = 365 } = options;
    requireServiceName(options.service);
    const parsed = storeUrl(url);
    this.shown = parsed.shown;
    this.retainDays = requireWhole("openStores", "retainDays", retainDays, 1, 36_500);
    const lettersDays = requireWhole("openStores", "retainLettersDays", retainLettersDays, 1, 36_500);
    if (parsed.kind === "memory") {
      const nothing = async (): Promise<void> => {};
      this.runs = new MemoryRuns();
      this.deadLetters = new MemoryDeadLetters();
      this.sessions = new MemorySessions();
      this.idempotency = new MemoryIdempotency();
      this.locks = new MemoryLocks();
      this.sharedLocks = this.locks;
      this.audit = new MemoryAuditSink();
      this.sweep = nothing;
      this.open = nothing;
      this.check = nothing;
      this.warnings = () => [];
      this.close = nothing;
      return;
    }
    const health = new StoreCheck(databaseOf(parsed, options));
    const { database: opened } = health;
    const database: SqlDatabase = {
      ...opened,
      open: async (looks) => {
        await Promise.all([opened.open(looks), codec.open?.()]);
      },
    };
    const service = new Service(database, options.service);
    const { name, keyOf } = service;
    const runs = new SqlRuns(database, codec, service);
    const requests = new SqlRequests(database, codec, name);
    const erasure = new SqlErasure(database, codec, service, runs, requests);
    const locks = new SqlLocks(database);
    const marked = <S extends object>(store: S): S =>
      codec.encrypts === true ? Object.assign(store, { isEncrypted: true }) : store;
    this.runs = marked(runsIn(service, runs));
    this.deadLetters = marked(new SqlDeadLetters(database, codec, service));
    this.sessions = marked(sessionsIn(keyOf, new SqlSessions(database, codec, service)));
    this.idempotency = marked(keysIn(keyOf, new SqlIdempotency(database, codec, name)));
    this.locks = locksIn(keyOf, locks);
    this.erasure = { sinks: erasure.sinks, progress: erasure, compact: database.compact };
    this.requests = requests;
    this.sharedLocks = locksIn(sharedKey, locks);
    this.audit = new SqlAudit(database, parsed.shown);
    this.retainLettersDays = lettersDays;
    this.sweep = () =>
      Promise.all([
        deleteLeft(database, service, lettersDays * DAY_MS),
        requests.forget(retainDays * DAY_MS),
        erasure.forget(lettersDays * DAY_MS),
      ]);
    this.open = service.enter;
    this.look = service.look;
    this.check = () => health.check();
    this.warnings = database.warnings;
    this.close = database.close;
  }
}

/**
 * Stores over one database: `sqlite:PATH`, `postgres://user:password@host/database` or `memory:`. Several
 * hosts of PostgreSQL, `a:5432,b:5432`, are tried in order: the first that takes writes is used.
 * Parameters of PostgreSQL's, `?NAME=VALUE&...`: `schema` (default framework) and `prefix` of the
 * tables; `host`, the folder of a unix socket; `sslmode`, which is verify-full but for this machine,
 * where it is disable, or no-verify; `sslrootcert`, a file of the authorities that are trusted.
 * Checks the URL and opens nothing: the ingress that has them does, or the first call of a store.
 */
export const openStores = (url: string, options: StoresOptions = {}): Stores => new Stores(url, options);
