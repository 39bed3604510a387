import type { BusView } from "#core/bus.js";
import { MAX_TIMER_MS } from "#core/clock.js";
import type { Guard } from "#core/guard.js";
import { type IdempotencyPolicy, type IdempotencyStore, IdempotentRequest } from "#core/idempotency-store.js";
import { ClientIdentity, header, RequestMethod, VerifiedIdentity } from "#core/ingress-facts.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import { type Fault, type Pass, pass } from "#core/outcome.js";
import { type GuardFault, guardFault } from "./faults.js";
import { MemoryIdempotency } from "./memory-idempotency.js";

export interface IdempotencyOptions {
  /** Where answers are kept. Default: in the memory of this process, at most 64 MiB. */
  readonly store?: IdempotencyStore;
  /** Those whose requests may have a key. Default POST and PATCH. */
  readonly methods?: readonly ("POST" | "PUT" | "PATCH" | "DELETE")[];
  /** Whether a request without a key is 400. Default false: it is run as often as it comes. */
  readonly required?: boolean;
  /** How long an answer is kept, in milliseconds. Default a day. */
  readonly ttlMs?: number;
  /**
   * How long a run may hold its key, in milliseconds: what crashed frees it then. No less than
   * the route may take. Default: half a minute more than that.
   */
  readonly leaseMs?: number;
  /** The largest body of an answer that is kept, in bytes. Default 65 536. */
  readonly maxBodyBytes?: number;
  /** How long the store may take, in milliseconds. Default 2000. */
  readonly storeTimeoutMs?: number;
}

const OPTIONS = ["store", "methods", "required", "ttlMs", "leaseMs", "maxBodyBytes", "storeTimeoutMs"];
const METHODS = ["POST", "PUT", "PATCH", "DELETE"];
const IDEMPOTENCY_KEY = header("idempotency-key");

// A string of structured fields (RFC 8941, section 3.3.3) of visible ASCII, or its text alone.
const QUOTED = /^"((?:[!#-[\]-~]|\\["\\])*)"$/;
const BARE = /^[!#-+\--:<-[\]-~]+$/;
const MAX_LENGTH = 255;

const SHAPE = `1 to ${MAX_LENGTH} characters of visible ASCII, in quotes: "8e03978e-40d5"`;
const MISSING = guardFault("IDEMPOTENCY_KEY_INVALID", { detail: `Send an Idempotency-Key: ${SHAPE}` });
const MALFORMED = guardFault("IDEMPOTENCY_KEY_INVALID", { detail: `An Idempotency-Key is ${SHAPE}` });

type Refused = GuardFault<"IDEMPOTENCY_KEY_INVALID">;
type ReadByGuard = typeof RequestMethod | typeof ClientIdentity;
type FoundByGuard = typeof IDEMPOTENCY_KEY | typeof VerifiedIdentity;

/**
 * Runs a request with an `Idempotency-Key` once: the same again is answered what the first
 * one was, with `idempotent-replayed: true`. Keys are each client's own, for each route. An
 * answer of 5xx is not kept, nor is 408, 425 or 429: the key is free again. While the first is
 * being served it is 409, with another body 422; where the store fails nothing is run, 503.
 *
 * A client that nobody verifies, before the guard or behind it, is its address, and another one
 * after it has moved. All guards decide before a key is looked up, and so a
 * ConditionalRequestGuard in front refuses what comes again: the first one has changed its etag.
 */
export class IdempotencyGuard
  implements Guard<Refused, ReadByGuard, never, FoundByGuard, typeof IdempotentRequest>
{
  readonly name = "IdempotencyGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly reads = [RequestMethod, ClientIdentity] as const;
  readonly mayRead = [IDEMPOTENCY_KEY, VerifiedIdentity] as const;
  readonly mayWrite = [IdempotentRequest] as const;
  readonly idempotency: IdempotencyPolicy;
  readonly perProcess?: string;
  readonly #isRequired: boolean;

  /** Throws CONFIG_INVALID. */
  constructor(options: IdempotencyOptions = {}) {
    requireKnownOptions("IdempotencyGuard", options, OPTIONS);
    const { methods = ["POST", "PATCH"], required = false, ttlMs = 86_400_000, leaseMs } = options;
    const { store = new MemoryIdempotency(), maxBodyBytes = 65_536, storeTimeoutMs = 2000 } = options;
    if (!Array.isArray(methods) || methods.length === 0 || !methods.every((one) => METHODS.includes(one))) {
      throw invalid(`methods: ${JSON.stringify(methods)}`, `name at least one of ${METHODS.join(", ")}`);
    }
    if (typeof required !== "boolean") throw invalid(`required: ${String(required)}`, "give true or false");
    for (const call of ["claim", "keep", "release"] as const)
      if (typeof store?.[call] !== "function")
        throw invalid("store", `it has no function '${call}': make one, as in new MemoryIdempotency()`);
    requireOption("ttlMs", ttlMs, 1);
    if (leaseMs !== undefined) requireOption("leaseMs", leaseMs, 1);
    requireOption("maxBodyBytes", maxBodyBytes, 0);
    requireOption("storeTimeoutMs", storeTimeoutMs, 1, MAX_TIMER_MS);
    const allowed = new Set<string>(methods);
    this.description = `Keys of ${[...allowed].join(", ")}${required ? ", required" : ""}; answers kept for ${ttlMs} ms`;
    this.idempotency = { store, methods: allowed, ttlMs, leaseMs, maxBodyBytes, storeTimeoutMs };
    if (store.perProcess !== undefined) this.perProcess = store.perProcess;
    this.#isRequired = required;
  }

  readonly run = (
    input: unknown,
    bus: BusView<ReadByGuard, never, FoundByGuard, typeof IdempotentRequest>,
  ): Pass | Fault<Refused> => {
    if (!this.idempotency.methods.has(bus.get(RequestMethod))) return pass(input);
    const field = bus.find(IDEMPOTENCY_KEY);
    if (field === undefined) return this.#isRequired ? MISSING : pass(input);
    const key = keyOf(field);
    if (key === undefined) return MALFORMED;
    const verified = bus.find(VerifiedIdentity);
    // As ClientIdentity says it, which may have been read before somebody was verified.
    const client = verified === undefined ? bus.get(ClientIdentity) : `id:${verified}`;
    bus.set(IdempotentRequest, { client, key });
    return pass(input);
  };
}

/** The key without its quotes; undefined where it is none. */
function keyOf(field: string): string | undefined {
  const key = QUOTED.exec(field)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? (BARE.test(field) ? field : undefined);
  return key === undefined || key === "" || key.length > MAX_LENGTH ? undefined : key;
}

const requireOption = (name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): number =>
  requireWhole(`IdempotencyGuard({ ${name}: ${value} })`, name, value, min, max);

const invalid = (option: string, remedy: string) => invalidOption(`IdempotencyGuard({ ${option} })`, remedy);
