import type { BusView } from "#core/bus/bus.js";
import { type AnyKey, namedKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { type Fault, fault, type Pass, pass } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type IntoReply, type Reply, respond } from "#core/bus/reply.js";
import { guardCodes } from "#core/error-codes.js";
import { header, RequestMethod } from "#core/facts/ingress-facts.js";
import { type HeaderFields, writtenHeader } from "#core/facts/response-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import { isThenable } from "#core/thenable.js";
import { isEntityTag } from "#core/wire/entity-tag.js";
import { httpDate } from "#core/wire/http-date.js";
import { type Conditions, type Representation, verdictOf } from "#core/wire/preconditions.js";
import { type GuardFault, guardFault } from "../faults.js";

/** Version of a resource. If both are undefined, only the condition `*` can be met. */
export interface Validators {
  /** With its quotes: `"v7"`, or `W/"v7"` if equal tags do not imply equal bytes. */
  readonly etag?: string | undefined;
  /** Compared in whole seconds. */
  readonly lastModified?: Date | undefined;
}

export interface ConditionalRequestOptions<Rd extends AnyKey, Mr extends AnyKey> {
  /**
   * The current version of the requested resource; undefined if it does not exist. Called for GET and
   * HEAD, and for other methods with a condition.
   */
  readonly current: (bus: BusView<Rd, never, Mr>) => MaybePromise<Validators | undefined>;
  /** Keys that `current` requires. */
  readonly reads?: readonly Rd[];
  /** Keys that `current` may find. */
  readonly mayRead?: readonly Mr[];
  /** Whether POST, PUT, PATCH and DELETE without a condition are refused with 428. Default false. */
  readonly required?: boolean;
  /** Milliseconds since 1970. Tests pass their own. */
  readonly now?: () => number;
}

interface ValidatorHeaders {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

const ValidatorHeaders = namedKey<ValidatorHeaders, "ValidatorHeaders">("ValidatorHeaders");

const IF_MATCH = header("if-match");
const IF_UNMODIFIED_SINCE = header("if-unmodified-since");
const IF_NONE_MATCH = header("if-none-match");
const IF_MODIFIED_SINCE = header("if-modified-since");
const FIELDS = [IF_MATCH, IF_UNMODIFIED_SINCE, IF_NONE_MATCH, IF_MODIFIED_SINCE] as const;
type Field = (typeof FIELDS)[number];

/** The client's copy is current: 304. */
export class NotModified implements IntoReply {
  readonly kind = "not-modified";
  readonly etag: string | undefined;
  /** In the format of the header. */
  readonly lastModified: string | undefined;

  constructor({ etag, lastModified }: ValidatorHeaders) {
    this.etag = etag;
    this.lastModified = lastModified;
  }

  /** With one validator only: further headers would overwrite those of a cache (RFC 9110, section 15.4.5). */
  toReply(): Reply<undefined> {
    const { etag, lastModified } = this;
    const dated: HeaderFields = lastModified === undefined ? {} : { "last-modified": lastModified };
    return respond({ status: 304, headers: etag === undefined ? dated : { etag } });
  }
}

const CALL = "ConditionalRequestGuard";

type Refused =
  | NotModified
  | GuardFault<"PRECONDITION_FAILED" | "PRECONDITION_INVALID" | "PRECONDITION_REQUIRED">;
type Verdict = Pass | Fault<Refused>;

const FAILED = guardFault("PRECONDITION_FAILED");
const MALFORMED = guardFault("PRECONDITION_INVALID", { detail: 'Write entity tags in quotes: "v7"' });
const REQUIRED = guardFault("PRECONDITION_REQUIRED", {
  detail: "Send If-Match with the etag that was read, or If-None-Match: * to make something new",
});

/**
 * Evaluates conditional requests (RFC 9110, section 13): 304 if the client's copy is current, 412 if
 * the resource has changed. Reads that pass get the headers `etag` and `last-modified`. The
 * decision precedes the change: if changes can be concurrent, the write must compare again.
 */
export class ConditionalRequestGuard<Rd extends AnyKey = never, Mr extends AnyKey = never>
  implements Guard<Refused, Rd | typeof RequestMethod, never, Mr | Field, typeof ValidatorHeaders>
{
  readonly name = CALL;
  readonly kind = "guard";
  readonly description: string;
  readonly reads: readonly (Rd | typeof RequestMethod)[];
  readonly mayRead: readonly (Mr | Field)[];
  readonly mayWrite = [ValidatorHeaders] as const;
  readonly responseHeaders = {
    written: [
      writtenHeader(ValidatorHeaders, "etag", ({ etag }) => etag),
      writtenHeader(ValidatorHeaders, "last-modified", ({ lastModified }) => lastModified),
    ],
  };
  readonly responses: readonly DeclaredResponse[];
  readonly #current: (bus: BusView<Rd, never, Mr>) => MaybePromise<Validators | undefined>;
  readonly #isRequired: boolean;
  readonly #now: () => number;

  /** Throws CONFIG_INVALID. */
  constructor(options: ConditionalRequestOptions<Rd, Mr>) {
    requireKnownOptions(CALL, options ?? {}, ["current", "reads", "mayRead", "required", "now"]);
    const { current, reads = [], mayRead = [], required = false, now = Date.now } = options ?? {};
    if (typeof current !== "function")
      throw invalidOption(
        CALL,
        "current must be a function that answers { etag, lastModified }, or undefined",
      );
    if (!Array.isArray(reads) || !Array.isArray(mayRead))
      throw invalidOption(CALL, "reads and mayRead are lists of keys: write [Book]");
    if (typeof required !== "boolean") throw invalidOption(CALL, "required is true or false");
    if (typeof now !== "function")
      throw invalidOption(CALL, "now must be a function that answers milliseconds");
    this.description = required ? "Changes need a condition" : "Conditions are optional";
    this.reads = [RequestMethod, ...reads];
    this.mayRead = [...FIELDS, ...mayRead];
    this.#current = current;
    this.#isRequired = required;
    const missing = required ? declaredOf(guardCodes, "PRECONDITION_REQUIRED") : [];
    this.responses = [
      { status: 304, title: "Not modified", methods: ["GET", "HEAD"] },
      ...declaredOf(guardCodes, "PRECONDITION_FAILED", "PRECONDITION_INVALID"),
      ...missing.map((each) => ({ ...each, methods: ["POST", "PUT", "PATCH", "DELETE"] })),
    ];
    this.#now = now;
  }

  readonly run = (
    input: unknown,
    bus: BusView<Rd | typeof RequestMethod, never, Mr | Field, typeof ValidatorHeaders>,
  ): MaybePromise<Verdict> => {
    const method = bus.get(RequestMethod);
    // The request has no representation (RFC 9110, section 13.2.1).
    if (method === "OPTIONS") return pass(input);
    const conditions: Conditions = {
      ifMatch: bus.find(IF_MATCH),
      ifUnmodifiedSince: bus.find(IF_UNMODIFIED_SINCE),
      ifNoneMatch: bus.find(IF_NONE_MATCH),
      ifModifiedSince: bus.find(IF_MODIFIED_SINCE),
    };
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && !isConditional(conditions)) return this.#isRequired ? REQUIRED : pass(input);
    const decide = (given: Validators | undefined): Verdict => {
      const now = this.#now();
      const current = given === undefined ? undefined : representationOf(given, now);
      switch (verdictOf(conditions, current, isRead, now)) {
        case "failed":
          return FAILED;
        case "malformed":
          return MALFORMED;
        case "unmodified":
          return fault(new NotModified(headersOf(current)));
        case "none":
          if (this.#isRequired && !isRead) return REQUIRED;
      }
      // The response to a change describes another state than this one.
      if (isRead && current !== undefined) bus.set(ValidatorHeaders, headersOf(current));
      return pass(input);
    };
    const current = this.#current(bus);
    return isThenable(current) ? Promise.resolve(current).then(decide) : decide(current);
  };
}

const isConditional = ({ ifMatch, ifUnmodifiedSince, ifNoneMatch }: Conditions): boolean =>
  (ifMatch ?? ifUnmodifiedSince ?? ifNoneMatch) !== undefined;

/** Throws TypeError for invalid validators: the program is wrong, not the request. */
function representationOf(given: Validators, now: number): Representation {
  if (typeof given !== "object" || given === null)
    throw new TypeError(
      `current() answered ${String(given)}: it has to answer { etag, lastModified }, or undefined for nothing`,
    );
  const { etag, lastModified } = given;
  if (etag !== undefined && !isEntityTag(etag))
    throw new TypeError(
      `current() answered the etag ${JSON.stringify(etag)}, which is none: write visible ASCII in double quotes, W/ before them for a weak one`,
    );
  if (lastModified === undefined) return { etag, lastModified };
  const time = lastModified instanceof Date ? lastModified.getTime() : Number.NaN;
  if (Number.isNaN(time)) throw new TypeError("current() answered a lastModified that is no Date");
  // A future date would claim that nothing changes until then (RFC 9110, section 8.8.2.1).
  return { etag, lastModified: Math.floor(Math.min(time, now) / 1000) * 1000 };
}

function headersOf(current: Representation | undefined): ValidatorHeaders {
  const lastModified = current?.lastModified;
  return {
    etag: current?.etag,
    lastModified: lastModified === undefined ? undefined : httpDate(lastModified),
  };
}
