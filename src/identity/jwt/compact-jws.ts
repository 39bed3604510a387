// Compact JWS (RFC 7515, section 7.1): three parts, of which the third signs the first two. Does not
// read claims.
//
// - The configuration sets the algorithms: the header may only name one of them.
// - The key comes from the key source only: jku, jwk, x5u and x5c are never read.
// - Signed content has one text: another spelling of the same bytes is refused.
// - A header is cached only after its signature was valid, so that forged tokens cannot fill the cache.

import type { KeyObject } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { IamError } from "#core/iam/iam-error.js";
import type { Verification } from "#core/iam/iam-verifier.js";
import { bytesOfBase64url } from "../base64url.js";
import { shown } from "../shown-value.js";
import { jsonObjectOf } from "../strict-json.js";
import { isKid } from "./jwk.js";
import type { JwsAlgorithm } from "./jws-algorithm.js";
import { SignatureChecks } from "./signature-check.js";
import type { KeyHint, VerificationKeys } from "./verification-keys.js";

/** Maximum length of a token, in characters: request heads are hardly larger. */
export const MAX_TOKEN_LENGTH = 8192;

// An issuer has one header for each of its keys.
const MAX_REMEMBERED_HEADERS = 16;

interface Header extends KeyHint {
  readonly checks: SignatureChecks;
}

interface Parts {
  readonly header: Header;
  readonly headerText: string;
  /** The signed text: the first two parts and the dot between them. */
  readonly input: string;
  readonly payload: Buffer;
  readonly signature: Buffer;
}

/** Verifies tokens of one configuration. Returns the payload's bytes, or an error. */
export class CompactJws {
  readonly #keys: VerificationKeys;
  readonly #checks: ReadonlyMap<unknown, SignatureChecks>;
  readonly #typeProblem: (typ: unknown) => string | undefined;
  readonly #headers = new Map<string, Header>();

  constructor(
    keys: VerificationKeys,
    algorithms: readonly JwsAlgorithm[],
    typeProblem: (typ: unknown) => string | undefined,
  ) {
    this.#keys = keys;
    this.#checks = new Map(algorithms.map((algorithm) => [algorithm, new SignatureChecks(algorithm)]));
    this.#typeProblem = typeProblem;
  }

  /** Synchronous if the keys are loaded. */
  verify(token: string, verification: Verification): MaybePromise<Buffer | IamError> {
    const parts = this.#partsOf(token);
    if (typeof parts === "string") return IamError.invalidToken(parts);
    const key = this.#keys.find(parts.header, verification);
    return key instanceof Promise
      ? key.then((found) => this.#payloadOf(parts, found))
      : this.#payloadOf(parts, key);
  }

  #payloadOf(parts: Parts, key: KeyObject | IamError | undefined): Buffer | IamError {
    if (key instanceof IamError) return key;
    const { header, headerText, input, signature, payload } = parts;
    if (key === undefined) return IamError.invalidToken(`${noKey(header)} (${this.#keys.description})`);
    // hole: every signature would pass
    if (!header.checks.of(key)(input, signature))
      return IamError.invalidToken("the signature is not that of the key");
    if (!this.#headers.has(headerText)) this.#remember(headerText, header);
    return payload;
  }

  #partsOf(token: string): Parts | string {
    if (typeof token !== "string") return "the token is no text";
    if (token.length > MAX_TOKEN_LENGTH) return `the token is longer than ${MAX_TOKEN_LENGTH} characters`;
    const first = token.indexOf(".");
    const second = token.indexOf(".", first + 1);
    // This refuses an empty part, and so an unsigned token. The base64url decoder refuses a fourth part.
    if (first <= 0 || second <= first + 1 || second === token.length - 1)
      return "the token has not three parts";
    const headerText = token.slice(0, first);
    const header = this.#headers.get(headerText) ?? this.#headerOf(headerText);
    if (typeof header === "string") return `the header ${header}`;
    const payload = bytesOfBase64url(token.slice(first + 1, second));
    if (payload === undefined) return "the payload is not base64url";
    const signature = bytesOfBase64url(token.slice(second + 1));
    if (signature === undefined) return "the signature is not base64url";
    return { header, headerText, input: token.slice(0, second), payload, signature };
  }

  #headerOf(text: string): Header | string {
    const bytes = bytesOfBase64url(text);
    if (bytes === undefined) return "is not base64url";
    const members = jsonObjectOf(bytes);
    if (typeof members === "string") return members;
    const { alg, kid, typ } = members;
    const checks = this.#checks.get(alg);
    if (checks === undefined) return `names an algorithm that is not configured: ${shown(alg)}`;
    // RFC 7515, section 4.1.11: listed extensions must be understood, and none is supported.
    // hole: a restriction that is not understood would be ignored
    if (Object.hasOwn(members, "crit")) return "has crit";
    if (Object.hasOwn(members, "b64")) return "has b64";
    if (kid !== undefined && !isKid(kid)) return "has a kid that is no text of 1 to 256 characters";
    const problem = this.#typeProblem(typ);
    return problem ?? { alg: alg as JwsAlgorithm, kid, checks };
  }

  #remember(text: string, header: Header): void {
    if (this.#headers.size >= MAX_REMEMBERED_HEADERS)
      this.#headers.delete(this.#headers.keys().next().value as string);
    this.#headers.set(text, header);
  }
}

const noKey = ({ alg, kid }: KeyHint): string =>
  kid === undefined
    ? `there is no kid, and not one key alone is for ${alg}`
    : `no key for ${alg} has the kid ${shown(kid)}`;
