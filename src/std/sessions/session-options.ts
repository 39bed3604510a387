import { randomBytes } from "node:crypto";

import { MAX_TIMER_MS } from "#core/clock.js";
import { UsedStore } from "#core/flow/used-store.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { SessionStore } from "#core/ports/session-store.js";
import { MemorySessions } from "../memory/memory-sessions.js";
import { type SessionPlace, type SessionPlaceOptions, sessionPlace } from "./session-place.js";

export interface SessionsOptions extends SessionPlaceOptions {
  /** Default: the stores of the ingress which serves a step of them, else the memory of this process, at most 100 000. */
  readonly store?: SessionStore;
  /** Absolute lifetime of a session, in milliseconds. Default 12 hours. */
  readonly absoluteMs?: number;
  /** Idle time after which it ends, in milliseconds. It may end a tenth earlier: not every use is written. Default half an hour. */
  readonly idleMs?: number;
  /** Maximum size of the data, in bytes of JSON. Default 4096. */
  readonly maxDataBytes?: number;
  /** Time limit of the store, in milliseconds. Default 2000. */
  readonly storeTimeoutMs?: number;
  /** Milliseconds since 1970. Tests pass their own. */
  readonly now?: () => number;
  /** Returns unpredictable random bytes. Tests pass their own. */
  readonly random?: (bytes: number) => Uint8Array;
}

/** The options with defaults. */
export interface CheckedSessions
  extends Required<Omit<SessionsOptions, keyof SessionPlaceOptions | "store">> {
  readonly place: SessionPlace;
  readonly store: UsedStore<SessionStore>;
}

const OPTIONS =
  "store cookie insecureCookie header absoluteMs idleMs maxDataBytes storeTimeoutMs now random".split(" ");
const CALLS = ["create", "find", "touch", "update", "rotate", "destroy", "destroyAll", "cleanUp"] as const;

/** Throws CONFIG_INVALID. */
export function checkedSessions(options: SessionsOptions): CheckedSessions {
  requireKnownOptions("Sessions", options, OPTIONS);
  const { store: own, now = Date.now, random = randomBytes, ...others } = options;
  const { absoluteMs = 43_200_000, idleMs = 1_800_000, maxDataBytes = 4096, storeTimeoutMs = 2000 } = others;
  const store = new UsedStore("Sessions", own, () => new MemorySessions());
  for (const call of CALLS)
    if (typeof (store.current as Partial<SessionStore> | null)?.[call] !== "function")
      throw invalid(`store has no function '${call}': make one, as in new MemorySessions()`);
  for (const [name, value] of Object.entries({ now, random }))
    if (typeof value !== "function") throw invalid(`${name} is a function`);
  requireWhole("absoluteMs", absoluteMs, 1000, Number.MAX_SAFE_INTEGER);
  requireWhole("idleMs", idleMs, 1000, absoluteMs);
  requireWhole("maxDataBytes", maxDataBytes, 2, 1_048_576);
  requireWhole("storeTimeoutMs", storeTimeoutMs, 1, MAX_TIMER_MS);
  const place = sessionPlace(options);
  return { store, now, random, absoluteMs, idleMs, maxDataBytes, storeTimeoutMs, place };
}

function requireWhole(name: string, value: number, min: number, max: number): void {
  if (Number.isSafeInteger(value) && value >= min && value <= max) return;
  throw invalid(`${name} must be a whole number from ${min} to ${max}, and is ${String(value)}`);
}

const invalid = (remedy: string) => invalidOption("Sessions", remedy);
