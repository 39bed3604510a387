// What an Axon keeps of marked data, where and for how long: runs, dead letters, responses under
// idempotency keys, sessions, audit events.

import { carriedOf, inferred, joined } from "#compliance/classes/carried.js";
import { factOf } from "#compliance/classes/request-facts.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import type { DeadLetterSink } from "#core/ports/dead-letter.js";
import { mountedRuns, type StoreSet } from "#core/ports/store-set.js";
import { RETAIN_DAYS } from "#http/serving/kept-runs.js";
import { visitAxon } from "#runtime/definition/axon-definition.js";
import { guardsIn, type Processed } from "./processed-axon.js";
import { type RecordRow, rowsOf } from "./record.js";

export const keptRows = (processed: Processed): readonly RecordRow[] => [
  ...runRows(processed),
  ...letterRows(processed),
  ...responseRows(processed),
  ...sessionRows(processed),
  ...auditRows(processed),
  ...memoryRows(processed),
];

function runRows({ definition, data, plan, location }: Processed): readonly RecordRow[] {
  const { persistence } = definition;
  if (persistence === undefined) return [];
  const store = persistence.store === mountedRuns ? plan?.stores?.runs : persistence.store;
  return rowsOf(
    {
      direction: "kept",
      place: `runs in ${storeName(store, plan?.stores)}`,
      keptFor: `${plan?.stores?.retainDays ?? RETAIN_DAYS} days after the run`,
      isEncrypted: isEncrypted(store),
      location,
    },
    inferred(data.all()),
  );
}

/** A letter has the input of a step. */
function letterRows({ definition, nodes, data, plan, location }: Processed): readonly RecordRow[] {
  const sinks = new Set<DeadLetterSink>();
  visitAxon(definition, {
    axon: ({ dlqSink, dlqPolicy }) => {
      if (dlqSink !== undefined && dlqPolicy?.kind !== "drop") sinks.add(dlqSink);
    },
  });
  const inputs = inferred(joined(nodes.map((node) => data.received(node))));
  const stores = plan?.stores;
  return [...sinks].flatMap((sink) => {
    const isStore = sink === stores?.deadLetters && stores.retainLettersDays !== undefined;
    const keptFor = isStore
      ? `${stores?.retainLettersDays} days after the failure, or until removed`
      : `until removed${sink.perProcess === undefined ? "" : ", or the process ends"}`;
    const place = `dead letters in ${storeName(sink, stores)}`;
    return rowsOf({ direction: "kept", place, keptFor, isEncrypted: isEncrypted(sink), location }, inputs);
  });
}

function responseRows(processed: Processed): readonly RecordRow[] {
  const { schematic, data, plan, location } = processed;
  const policy = guardsIn(processed).findLast(({ idempotency }) => idempotency !== undefined)?.idempotency;
  const egress = schematic.nodes.findLast(({ kind }) => kind === "Egress");
  if (policy === undefined || egress === undefined) return [];
  const { store, ttlMs } = policy;
  return rowsOf(
    {
      direction: "kept",
      place: `responses under idempotency keys in ${storeName(store, plan?.stores)}`,
      keptFor: duration(ttlMs),
      isEncrypted: isEncrypted(store),
      location,
    },
    data.result(egress),
  );
}

/** A step that issues a session, and one that can change the data of the caller's session. */
function sessionRows({ nodes, data, plan, location }: Processed): readonly RecordRow[] {
  return nodes.flatMap(({ kind, description, source_location: at = location, ...node }) => {
    const { reads = [], may_read = [], writes = [], may_write = [] } = node.bus_capability ?? {};
    const issues = writes.includes("SessionIssued");
    // A step that ends a session keeps nothing.
    if ([...writes, ...may_write].includes("SessionForgotten") && !issues) return [];
    if (!issues && !(kind === "Atom" && [...reads, ...may_read].includes("Session"))) return [];
    const identity = carriedOf({ name: "identity", level: "confidential", category: "identity" });
    const store = plan?.stores?.sessions;
    return rowsOf(
      {
        direction: "kept",
        place: `session data by ${node.label}`,
        keptFor: issues && description !== undefined ? inUnits(description) : "as its Sessions says",
        isEncrypted: isEncrypted(store),
        isOfPerson: true,
        location: at,
      },
      inferred(issues ? joined([data.received({ kind, ...node }), identity]) : data.reach({ kind, ...node })),
    );
  });
}

/** An event is made of the input of its step and of the keys that it reads, and names an actor. */
function auditRows({ nodes, data, definition, plan, location }: Processed): readonly RecordRow[] {
  const own = new Map<string, AuditSink>();
  visitAxon(definition, {
    step: ({ transition: { name, audit } }) => {
      if (audit?.sink !== undefined) own.set(name, audit.sink);
    },
  });
  const outer = definition.audit?.sink ?? plan?.audit ?? plan?.stores?.audit;
  return nodes.flatMap((node) => {
    if (node.kind !== "Audit") return [];
    const sink = own.get(node.label) ?? outer;
    const action = node.audit?.action ?? node.label;
    return rowsOf(
      {
        direction: "audited",
        place: `event ${action} in ${storeName(sink, plan?.stores)}`,
        keptFor: "until framework audit retain",
        isEncrypted: isEncrypted(sink),
        location: node.source_location ?? location,
      },
      inferred(data.reach(node)),
    );
  });
}

/** Clients that a guard remembers, such as those of a rate limit. */
const memoryRows = (processed: Processed): readonly RecordRow[] =>
  guardsIn(processed).flatMap(({ name, perProcess, reads = [], mayRead = [] }) => {
    if (perProcess === undefined) return [];
    const facts = [...reads, ...mayRead].map((key) => CLIENTS.has(key.name) && factOf(key.name));
    return rowsOf(
      {
        direction: "kept",
        place: `clients of ${name}`,
        keptFor: "in memory, until the process ends at the latest",
        isEncrypted: false,
        isOfPerson: true,
        location: processed.location,
      },
      joined(facts.filter((fact) => fact !== false && fact !== undefined)),
    );
  });

const CLIENTS: ReadonlySet<string> = new Set(["ClientIp", "ClientIdentity", "VerifiedIdentity"]);

/** The URL of the stores that it belongs to, or the name of its class. */
function storeName(store: object | undefined, stores: StoreSet | undefined): string {
  if (store === undefined) return "the store of the ingress, which this module does not name";
  if (stores !== undefined && Object.values(stores).includes(store)) return stores.shown;
  const { name } = store.constructor;
  return name === "Object" || name === "" ? "a store of the application" : name;
}

/** A store that encrypts what it keeps says so. */
const isEncrypted = (store: object | undefined): boolean =>
  (store as { readonly isEncrypted?: boolean } | undefined)?.isEncrypted === true;

const UNITS = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
] as const;

const inUnits = (text: string): string => text.replace(/(\d+) ms/g, (_, ms: string) => duration(Number(ms)));

function duration(ms: number): string {
  const [unit, name] = UNITS.find(([each]) => ms % each === 0) ?? [1, "millisecond"];
  const count = ms / unit;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
