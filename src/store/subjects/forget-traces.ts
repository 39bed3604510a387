import { randomUUID } from "node:crypto";

import type { ErasureCall, SinkErased } from "#core/ports/erasure.js";
import { livingHosts } from "../sql/living-hosts.js";
import type { Service } from "../sql/service.js";
import type { SqlDatabase } from "../sql/sql-database.js";
import type { SqlRequests } from "../sql/sql-requests.js";
import { POLL_MS, pause, Walk } from "./walk.js";

/** How long hosts may take a request: they read it after a beat. */
const ASK_MS = 60_000;

/** Asks each living host to drop what it keeps of past requests in memory. */
export async function forgetTraces(
  database: SqlDatabase,
  service: Service,
  requests: SqlRequests,
  { id, by, waitMs, clock, signal, goesOn }: ErasureCall,
): Promise<SinkErased> {
  await service.enter();
  const hosts = await database.read(
    `SELECT id FROM ${database.tables.host} WHERE left_at IS NULL AND service = $1
      AND id IN (${livingHosts(database)})`,
    [service.name],
  );
  const asked = new Map<string, string>();
  for (const { id: host } of hosts as readonly { readonly id: string }[]) {
    const request = `erasure ${id} ${randomUUID()}`;
    await requests.ask({ id: request, kind: "forget-subject", target: id, host, by }, ASK_MS);
    asked.set(host, request);
  }
  const walk = new Walk();
  let erased = 0;
  for (const until = clock.now() + waitMs; asked.size > 0; await pause(clock, POLL_MS)) {
    for (const [host, request] of asked) {
      const state = await requests.state(request);
      if (state?.kind === "open") continue;
      asked.delete(host);
      const forgotten = state?.kind === "answered" ? forgottenIn(state.answer) : "it did not respond";
      if (typeof forgotten === "number") erased += forgotten;
      else walk.leave(`host ${host}: ${forgotten}`);
    }
    goesOn();
    if (signal.aborted || clock.now() >= until) break;
  }
  for (const host of asked.keys()) walk.leave(`host ${host}: it did not respond`);
  return { ...walk.result(), erased };
}

/** How many, or why none: a host of an older release refuses the request. */
function forgottenIn(answer: unknown): number | string {
  const { forgotten, code, reason } = answer as Readonly<Record<string, unknown>>;
  return typeof forgotten === "number" ? forgotten : `it kept its traces: ${code ?? reason}`;
}
