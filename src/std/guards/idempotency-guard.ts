import { createHash } from "node:crypto";
import type { BusView } from "#core/bus/bus.js";
import type { AnyKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { type Fault, type Pass, pass } from "#core/bus/outcome.js";
import { MAX_TIMER_MS } from "#core/clock.js";
import { guardCodes } from "#core/error-codes.js";
import { ClientIp, cookie, header, RequestMethod, VerifiedIdentity } from "#core/facts/ingress-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { declareBy, UsedStore } from "#core/flow/used-store.js";
import { invalidOption, requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import {
  type IdempotencyPolicy,
  type IdempotencyStore,
  IdempotentRequest,
} from "#core/ports/idempotency-store.js";
import type { StoreSet, StoresUser } from "#core/ports/store-set.js";
import { isToken } from "#core/wire/header-syntax.js";
import { type GuardFault, guardFault } from "../faults.js";
import { MemoryIdempotency } from "../memory/memory-idempotency.js";

export interface IdempotencyOptions<Rd extends AnyKey = never, Mr extends AnyKey = never> {
  /**
   * Keeps the responses. Default: the stores of the ingress which serves the guard, else the memory of this
   * process, at most 64 MiB.
   */
  readonly store?: IdempotencyStore;
  /** Methods with keys. Default POST and PATCH. */
  readonly methods?: readonly ("POST" | "PUT" | "PATCH" | "DELETE")[];
  /** Whether a request without a key is refused with 400. Default false: it runs each time. */
  readonly required?: boolean;
  /** How long a response is kept, in milliseconds. Default a day. */
  readonly ttlMs?: number;
  /**
   * Lease time of a key, in milliseconds: a crashed run frees its key after it. At least the time
   * limit of the route. Default: half a minute more than that.
   */
  readonly leaseMs?: number;
  /** Maximum body size of a kept response, in bytes. Default 65 536. */
  readonly maxBodyBytes?: number;
  /** Time limit of the store, in milliseconds. Default 2000. */
  readonly storeTimeoutMs?: number;
  /** Name of the session cookie: distinguishes unverified callers without Authorization. */
  readonly cookie?: string;
  /**
   * Identifies the caller of a request, instead of the default rules: a non-empty text. A response is
   * never sent to another caller. The keys it reads must be on the Bus before the guard.
   */
  readonly scope?: (bus: BusView<Rd, never, Mr>) => string;
  /** Keys that `scope` requires. */
  readonly reads?: readonly Rd[];
  /** Keys that `scope` may find. */
  readonly mayRead?: readonly Mr[];
}

const OPTIONS = [
  "store",
  "methods",
  "required",
  "ttlMs",
  "leaseMs",
  "maxBodyBytes",
  "storeTimeoutMs",
  "cookie",
  "scope",
  "reads",
  "mayRead",
];
const METHODS = ["POST", "PUT", "PATCH", "DELETE"];
const IDEMPOTENCY_KEY = header("idempotency-key");
const AUTHORIZATION = header("authorization");

// A string of structured fields (RFC 8941, section 3.3.3) of visible ASCII, or its bare text.
const QUOTED = /^"((?:[!#-[\]-~]|\\["\\])*)"$/;
const BARE = /^[!#-+\--:<-[\]-~]+$/;
const MAX_LENGTH = 255;

const SHAPE = `1 to ${MAX_LENGTH} characters of visible ASCII, in quotes: "8e03978e-40d5"`;
const MISSING = guardFault("IDEMPOTENCY_KEY_INVALID", { detail: `Send an Idempotency-Key: ${SHAPE}` });
const MALFORMED = guardFault("IDEMPOTENCY_KEY_INVALID", { detail: `An Idempotency-Key is ${SHAPE}` });

type Refused = GuardFault<"IDEMPOTENCY_KEY_INVALID">;
type SessionCookie = ReturnType<typeof cookie<string>>;
type FoundByGuard =
  | typeof IDEMPOTENCY_KEY
  | typeof AUTHORIZATION
  | typeof VerifiedIdentity
  | typeof ClientIp
  | SessionCookie;

/**
 * Runs requests with the same `Idempotency-Key` once: a repetition receives the first response, with
 * `idempotent-replayed: true`. Keys are separate for each client and route. Responses 5xx, 408, 425
 * and 429 are not kept: the key is free again. While the first request runs, a repetition receives
 * 409. With another body it receives 422. If the store fails nothing is run: 503.
 *
 * A key belongs to its caller: the `VerifiedIdentity`, written in front of the guard or behind it by
 * a guard or `withIam`; else the hash of `Authorization`; else that of the cookie `cookie`; else
 * the whole address. All guards decide before a key is looked up, so that a ConditionalRequestGuard
 * in front refuses a repetition: the first request has changed its etag.
 */
export class IdempotencyGuard<Rd extends AnyKey = never, Mr extends AnyKey = never>
  implements
    Guard<Refused, Rd | typeof RequestMethod, never, Mr | FoundByGuard, typeof IdempotentRequest>,
    StoresUser
{
  readonly name = "IdempotencyGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly reads: readonly (Rd | typeof RequestMethod)[];
  readonly mayRead: readonly (Mr | FoundByGuard)[];
  readonly mayWrite = [IdempotentRequest] as const;
  readonly idempotency: IdempotencyPolicy;
  readonly responses: readonly DeclaredResponse[];
  declare readonly perProcess?: string;
  readonly #store: UsedStore<IdempotencyStore>;
  readonly #isRequired: boolean;
  readonly #callerOf: (bus: BusView<Rd, never, Mr | FoundByGuard>) => string | undefined;

  /** Throws CONFIG_INVALID. */
  constructor(options: IdempotencyOptions<Rd, Mr> = {}) {
    requireKnownOptions("IdempotencyGuard", options, OPTIONS);
    const { methods = ["POST", "PATCH"], required = false, ttlMs = 86_400_000, leaseMs } = options;
    const { store: given, maxBodyBytes = 65_536, storeTimeoutMs = 2000 } = options;
    if (!Array.isArray(methods) || methods.length === 0 || !methods.every((one) => METHODS.includes(one))) {
      throw invalid(`methods: ${JSON.stringify(methods)}`, `name at least one of ${METHODS.join(", ")}`);
    }
    if (typeof required !== "boolean") throw invalid(`required: ${String(required)}`, "give true or false");
    const store = new UsedStore("IdempotencyGuard", given, () => new MemoryIdempotency());
    for (const call of ["claim", "keep", "release"] as const)
      if (typeof store.current?.[call] !== "function")
        throw invalid("store", `it has no function '${call}': make one, as in new MemoryIdempotency()`);
    requireOption("ttlMs", ttlMs, 1);
    if (leaseMs !== undefined) requireOption("leaseMs", leaseMs, 1);
    requireOption("maxBodyBytes", maxBodyBytes, 0);
    requireOption("storeTimeoutMs", storeTimeoutMs, 1, MAX_TIMER_MS);
    const { cookie: named, scope, reads = [], mayRead = [] } = options;
    if (named !== undefined && (typeof named !== "string" || !isToken(named)))
      throw invalid(`cookie: ${JSON.stringify(named)}`, "give the name of the session cookie");
    if (scope !== undefined && typeof scope !== "function")
      throw invalid("scope", "give a function of the Bus that returns the caller as a text");
    if (scope !== undefined && named !== undefined)
      throw invalid("scope, cookie", "give one of them: scope reads what it goes by itself");
    if (scope === undefined && reads.length + mayRead.length > 0)
      throw invalid("reads, mayRead", "they are the keys of scope: give it, or leave them out");
    const session = named === undefined ? undefined : cookie(named);
    const own = session === undefined ? UNVERIFIED : [...UNVERIFIED, session];
    this.reads = [RequestMethod, ...reads];
    this.mayRead = [IDEMPOTENCY_KEY, ...(scope === undefined ? own : []), ...mayRead];
    this.#callerOf = scope === undefined ? (bus) => callerOf(bus, session) : (bus) => ownScope(scope(bus));
    const allowed = new Set<string>(methods);
    this.responses = declaredOf(guardCodes, "IDEMPOTENCY_KEY_INVALID").map((each) => ({ ...each, methods }));
    this.description = `Keys of ${[...allowed].join(", ")}${required ? ", required" : ""}; answers kept for ${ttlMs} ms`;
    this.#store = store;
    this.idempotency = {
      get store() {
        return store.current;
      },
      methods: allowed,
      ttlMs,
      leaseMs,
      maxBodyBytes,
      storeTimeoutMs,
      scope: scope !== undefined ? "own" : session !== undefined ? "cookie" : undefined,
    };
    declareBy<{ perProcess?: string }>(this, { perProcess: () => store.current.perProcess });
    this.#isRequired = required;
  }

  readonly useStores = ({ idempotency }: StoreSet): (() => void) => this.#store.use(idempotency);

  readonly run = (
    input: unknown,
    bus: BusView<Rd | typeof RequestMethod, never, Mr | FoundByGuard, typeof IdempotentRequest>,
  ): Pass | Fault<Refused> => {
    if (!this.idempotency.methods.has(bus.get(RequestMethod))) return pass(input);
    const field = bus.find(IDEMPOTENCY_KEY);
    if (field === undefined) return this.#isRequired ? MISSING : pass(input);
    const key = keyOf(field);
    if (key === undefined) return MALFORMED;
    bus.set(IdempotentRequest, { client: this.#callerOf(bus), key });
    return pass(input);
  };
}

const UNVERIFIED = [AUTHORIZATION, VerifiedIdentity, ClientIp] as const;

/** Undefined for an unknown address. Credentials are hashed: the Bus may be recorded. Kinds never share a text. */
function callerOf(
  bus: BusView<never, never, FoundByGuard>,
  session: SessionCookie | undefined,
): string | undefined {
  const verified = bus.find(VerifiedIdentity);
  if (verified !== undefined) return `id:${verified}`;
  const authorization = bus.find(AUTHORIZATION);
  if (authorization !== undefined) return `authorization:${hashOf(authorization)}`;
  const id = session && bus.find(session);
  if (id !== undefined && id !== "") return `cookie:${hashOf(id)}`;
  // The whole address: ClientIdentity is the same for all hosts of an IPv6 network.
  return bus.find(ClientIp);
}

function ownScope(answer: unknown): string {
  if (typeof answer === "string" && answer !== "") return `scope:${answer}`;
  throw new TypeError("scope() of an IdempotencyGuard must return the caller as a text that is not empty");
}

const hashOf = (credential: string): string => createHash("sha256").update(credential).digest("base64url");

/** The key without its quotes; undefined if invalid. */
function keyOf(field: string): string | undefined {
  const key = QUOTED.exec(field)?.[1]?.replaceAll(/\\(.)/g, "$1") ?? (BARE.test(field) ? field : undefined);
  return key === undefined || key === "" || key.length > MAX_LENGTH ? undefined : key;
}

const requireOption = (name: string, value: number, min: number, max = Number.MAX_SAFE_INTEGER): number =>
  requireWhole(`IdempotencyGuard({ ${name}: ${value} })`, name, value, min, max);

const invalid = (option: string, remedy: string) => invalidOption(`IdempotencyGuard({ ${option} })`, remedy);
