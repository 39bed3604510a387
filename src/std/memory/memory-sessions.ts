import { requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import {
  REPLACED_MS,
  type RotatedParts,
  type SessionData,
  type SessionFound,
  type SessionRecord,
  type SessionStore,
} from "#core/ports/session-store.js";
import { type Due, DueHeap } from "../due-heap.js";

/** Capacity of a Map, with a margin. */
const MAX_SESSIONS = 10_000_000;

export interface MemorySessionsOptions {
  /** Maximum number of sessions: 1 to 10 000 000. If all are live, new ones are refused. Default 100 000. */
  readonly maxSessions?: number;
}

interface Kept extends Due {
  readonly key: string;
  record: SessionRecord;
}

const UNKNOWN: SessionFound = { kind: "unknown" };
const EXPIRED: SessionFound = { kind: "expired" };
const REPLACED: SessionFound = { kind: "replaced" };

/**
 * Sessions in the memory of one process: for a single process, and for tests. They are lost at its
 * end. At its limit expired sessions are evicted, live ones are not.
 */
export class MemorySessions implements SessionStore {
  readonly perProcess = "sessions in memory, which other processes do not know";
  readonly #maxSessions: number;
  readonly #sessions = new Map<string, Kept>();
  readonly #byEnd = new DueHeap<Kept>();
  readonly #byOwner = new Map<string, Set<Kept>>();
  // Replaced keys and how long they are remembered, oldest first. Bounded by maxSessions: evicting the
  // oldest admits no request.
  readonly #replaced = new Map<string, number>();

  /** Throws CONFIG_INVALID. */
  constructor(options: MemorySessionsOptions = {}) {
    requireKnownOptions("MemorySessions", options, ["maxSessions"]);
    const { maxSessions = 100_000 } = options;
    this.#maxSessions = requireWhole("MemorySessions", "maxSessions", maxSessions, 1, MAX_SESSIONS);
  }

  /** Number of sessions, expired ones included. */
  get size(): number {
    return this.#sessions.size;
  }

  readonly create = (
    key: string,
    record: SessionRecord,
    now: number,
    replaces?: string,
  ): "created" | "full" => {
    const former = replaces === undefined ? undefined : this.#sessions.get(replaces);
    if (former === undefined && !this.#hasRoom(now)) return "full";
    if (former !== undefined) this.#replace(former, now);
    this.#keep(key, record);
    return "created";
  };

  readonly find = (key: string, now: number): SessionFound => {
    const kept = this.#sessions.get(key);
    if (kept !== undefined) return kept.dueAt > now ? { kind: "live", record: kept.record } : EXPIRED;
    return (this.#replaced.get(key) ?? now) > now ? REPLACED : UNKNOWN;
  };

  readonly touch = (key: string, idleUntil: number, now: number): boolean => {
    const kept = this.#live(key, now);
    if (kept === undefined) return false;
    const { record } = kept;
    if (idleUntil <= record.idleUntil) return true;
    kept.record = { ...record, idleUntil: Math.min(idleUntil, record.expiresAt) };
    kept.dueAt = endOf(kept.record);
    this.#byEnd.changed(kept);
    return true;
  };

  readonly update = (
    key: string,
    version: number,
    data: SessionData,
    now: number,
  ): "updated" | "changed" | "gone" => {
    const kept = this.#live(key, now);
    if (kept === undefined) return "gone";
    if (kept.record.version !== version) return "changed";
    kept.record = { ...kept.record, data, version: version + 1 };
    return "updated";
  };

  readonly rotate = (
    key: string,
    to: string,
    { identity, csrfSecret }: RotatedParts,
    now: number,
  ): SessionRecord | undefined => {
    const kept = this.#live(key, now);
    if (kept === undefined) return undefined;
    const record = { ...kept.record, identity, csrfSecret };
    this.#replace(kept, now);
    this.#keep(to, record);
    return record;
  };

  readonly destroy = (key: string, now: number): boolean => {
    const kept = this.#sessions.get(key);
    if (kept !== undefined) this.#forget(kept);
    return kept !== undefined && kept.dueAt > now;
  };

  readonly destroyAll = (owner: string, now: number): number => {
    const all = [...(this.#byOwner.get(owner) ?? [])];
    for (const kept of all) this.#forget(kept);
    return all.filter(({ dueAt }) => dueAt > now).length;
  };

  readonly cleanUp = (limit: number, now: number): number => {
    let count = 0;
    for (; count < limit; count += 1) {
      const { first } = this.#byEnd;
      if (first === undefined || first.dueAt > now) break;
      this.#forget(first);
    }
    this.#dropTraces(now);
    return count;
  };

  #live(key: string, now: number): Kept | undefined {
    const kept = this.#sessions.get(key);
    return kept !== undefined && kept.dueAt > now ? kept : undefined;
  }

  #hasRoom(now: number): boolean {
    return this.#sessions.size < this.#maxSessions || this.cleanUp(1, now) === 1;
  }

  #keep(key: string, record: SessionRecord): void {
    const kept: Kept = { key, record, dueAt: endOf(record), place: -1 };
    this.#sessions.set(key, kept);
    this.#byEnd.add(kept);
    const others = this.#byOwner.get(record.owner);
    if (others === undefined) this.#byOwner.set(record.owner, new Set([kept]));
    else others.add(kept);
  }

  #forget(kept: Kept): void {
    const { owner } = kept.record;
    this.#sessions.delete(kept.key);
    this.#byEnd.remove(kept);
    const others = this.#byOwner.get(owner);
    others?.delete(kept);
    if (others?.size === 0) this.#byOwner.delete(owner);
  }

  #replace(kept: Kept, now: number): void {
    this.#forget(kept);
    this.#dropTraces(now);
    this.#replaced.set(kept.key, now + REPLACED_MS);
  }

  #dropTraces(now: number): void {
    for (const [key, until] of this.#replaced) {
      if (until > now && this.#replaced.size < this.#maxSessions) break;
      this.#replaced.delete(key);
    }
  }
}

const endOf = ({ expiresAt, idleUntil }: SessionRecord): number => Math.min(expiresAt, idleUntil);
