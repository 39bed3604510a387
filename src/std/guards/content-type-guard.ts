import type { BusView } from "#core/bus/bus.js";
import { declaredOf } from "#core/bus/declared-response.js";
import { type Fault, type Pass, pass } from "#core/bus/outcome.js";
import { guardCodes } from "#core/error-codes.js";
import { header, RequestMethod } from "#core/facts/ingress-facts.js";
import type { HeaderFields } from "#core/facts/response-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { invalidOption } from "#core/invalid-option.js";
import { mediaTypeOf } from "#core/wire/content-type.js";
import { type GuardFault, guardFault } from "../faults.js";
import { textList } from "../text-list.js";

const ContentType = header("content-type");
const ContentLength = header("content-length");
const TransferEncoding = header("transfer-encoding");

type Read = typeof RequestMethod | typeof ContentType | typeof ContentLength | typeof TransferEncoding;
type Refused = GuardFault<"CONTENT_TYPE_REFUSED">;

/**
 * Checks the content type of a body before it is read. A request without a body passes. Accepts
 * types (`application/json`), ranges (`image/*`) and all types of a syntax (`application/*+json`,
 * RFC 6839). Parameters are ignored. Other types are refused with 415 and the list of accepted types
 * (RFC 9110, section 15.5.16).
 */
export class ContentTypeGuard implements Guard<Refused, never, never, Read> {
  readonly name = "ContentTypeGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly mayRead = [RequestMethod, ContentType, ContentLength, TransferEncoding] as const;
  readonly accepts: readonly string[];
  readonly responses = declaredOf(guardCodes, "CONTENT_TYPE_REFUSED");
  readonly #types: ReadonlySet<string>;
  readonly #ranges: readonly Range[];
  readonly #refusals: ReadonlyMap<string, Fault<Refused>>;
  readonly #refusal: Fault<Refused>;

  /** Throws CONFIG_INVALID, which names each invalid type. */
  constructor(accepted: readonly string[]) {
    const known = textList("ContentTypeGuard(...)", "accepted", accepted).map((type) => type.toLowerCase());
    const wrong = known.filter((type) => !TYPE.test(type) && rangeOf(type) === undefined);
    if (wrong.length > 0 || known.length === 0) {
      throw invalidOption(
        `ContentTypeGuard(${JSON.stringify(accepted)})`,
        "name types without parameters, such as application/json, image/* or application/*+json",
      );
    }
    this.description = known.join(", ");
    this.accepts = known;
    this.#types = new Set(known.filter((type) => TYPE.test(type)));
    this.#ranges = known.flatMap((type) => rangeOf(type) ?? []);
    this.#refusal = refusalOf(known, "accept");
    this.#refusals = new Map([
      ["POST", refusalOf(known, "accept-post")],
      ["PATCH", refusalOf(known, "accept-patch")],
    ]);
  }

  readonly run = (input: unknown, bus: BusView<never, never, Read, never>): Pass | Fault<Refused> => {
    if (!hasBody(bus) || this.#takes(bus.find(ContentType) ?? "")) return pass(input);
    return this.#refusals.get(bus.find(RequestMethod) ?? "") ?? this.#refusal;
  };

  #takes(contentType: string): boolean {
    if (this.#types.has(contentType)) return true;
    const type = mediaTypeOf(contentType);
    if (type === undefined) return false;
    if (this.#types.has(type)) return true;
    return this.#ranges.some(({ begin, end }) => type.startsWith(begin) && type.endsWith(end));
  }
}

/** "image/" and "", or "application/" and "+json". */
interface Range {
  readonly begin: string;
  readonly end: string;
}

// Registrable names (RFC 6838, section 4.2): "*" is none.
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;
const RANGE = /^([a-z0-9][a-z0-9!#$&^_.+-]*\/)\*(\+[a-z0-9][a-z0-9!#$&^_.-]*)?$/;

function rangeOf(type: string): Range | undefined {
  const [, begin, end = ""] = RANGE.exec(type) ?? [];
  return begin === undefined ? undefined : { begin, end };
}

// The ingress has already checked that Content-Length is digits.
const hasBody = (bus: BusView<never, never, Read, never>): boolean =>
  /[1-9]/.test(bus.find(ContentLength) ?? "") || bus.find(TransferEncoding) !== undefined;

function refusalOf(accepted: readonly string[], name: string): Fault<Refused> {
  // A client would read "application/*+json" as the name of a type.
  const shown = accepted.filter((type) => !type.includes("*+")).join(", ");
  const headers: HeaderFields = shown === "" ? {} : { [name]: shown };
  return guardFault("CONTENT_TYPE_REFUSED", { headers, extensions: { accepted } });
}
