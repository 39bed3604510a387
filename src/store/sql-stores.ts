// The stores of one database.

import type { Codec } from "#core/ports/codec.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { databaseOf } from "./database-of.js";
import { keysIn, locksIn, runsIn, sessionsIn } from "./in-service.js";
import { deleteLeft } from "./retention.js";
import { SqlRuns } from "./runs/sql-runs.js";
import { Service, sharedKey } from "./sql/service.js";
import { SqlAudit } from "./sql/sql-audit.js";
import type { SqlDatabase } from "./sql/sql-database.js";
import { SqlDeadLetters } from "./sql/sql-dead-letters.js";
import { SqlIdempotency } from "./sql/sql-idempotency.js";
import { SqlLocks } from "./sql/sql-locks.js";
import { SqlRates } from "./sql/sql-rates.js";
import { SqlRequests } from "./sql/sql-requests.js";
import { SqlSessions } from "./sql/sql-sessions.js";
import { StoreCheck } from "./sql/store-check.js";
import type { StoreUrl } from "./sql/store-url.js";
import { SqlErasure } from "./subjects/sql-erasure.js";

const DAY_MS = 86_400_000;

/** What `openStores` makes of an address, before it joins several. */
export interface StoreParts extends Omit<StoreSet, "shown" | "retainDays"> {
  readonly sharedLocks: StoreSet["locks"];
  readonly sweep: NonNullable<StoreSet["sweep"]>;
  readonly warnings: NonNullable<StoreSet["warnings"]>;
}

interface SqlOptions {
  readonly autoMigrate?: boolean;
  readonly service?: string;
  readonly codec: Codec;
  readonly retainDays: number;
  readonly lettersDays: number;
  readonly hasRates: boolean;
}

export function sqlStores(
  parsed: Exclude<StoreUrl, { readonly kind: "memory" }>,
  options: SqlOptions,
): StoreParts {
  const { codec, retainDays, lettersDays, hasRates } = options;
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
  return {
    runs: marked(runsIn(service, runs)),
    deadLetters: marked(new SqlDeadLetters(database, codec, service)),
    sessions: marked(sessionsIn(keyOf, new SqlSessions(database, codec, service))),
    idempotency: marked(keysIn(keyOf, new SqlIdempotency(database, codec, name))),
    locks: locksIn(keyOf, locks),
    ...(hasRates && { rates: new SqlRates(database, name) }),
    erasure: { sinks: erasure.sinks, progress: erasure, compact: database.compact },
    requests,
    sharedLocks: locksIn(sharedKey, locks),
    audit: new SqlAudit(database, parsed.shown),
    retainLettersDays: lettersDays,
    sweep: () =>
      Promise.all([
        deleteLeft(database, service, lettersDays * DAY_MS),
        requests.forget(retainDays * DAY_MS),
        erasure.forget(lettersDays * DAY_MS),
      ]),
    open: service.enter,
    look: service.look,
    check: () => health.check(),
    warnings: database.warnings,
    close: database.close,
  };
}
