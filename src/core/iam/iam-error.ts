import { ProblemDetail } from "../bus/problem-detail.js";
import { type IntoReply, type Reply, respond } from "../bus/reply.js";
import { type IdentityCode, identityCodes } from "../error-codes.js";
import { interned } from "../interned.js";

export type IamErrorKind =
  | "MissingToken"
  | "InvalidToken"
  | "Expired"
  | "InsufficientRole"
  | "MissingClaims"
  | "VerifierUnavailable";

interface Particulars {
  /** The reason, for logs: no response contains it. */
  readonly reason?: string | undefined;
  readonly cause?: unknown;
  /** The sufficient scope, if the client may know it: `scope` of the challenge. */
  readonly scope?: string | undefined;
  readonly scheme?: string;
}

const CODES: Readonly<Record<IamErrorKind, IdentityCode>> = {
  MissingToken: "TOKEN_MISSING",
  InvalidToken: "TOKEN_INVALID",
  Expired: "TOKEN_EXPIRED",
  InsufficientRole: "ROLE_INSUFFICIENT",
  MissingClaims: "CLAIMS_MISSING",
  VerifierUnavailable: "VERIFIER_UNAVAILABLE",
};

// RFC 6750, section 3.1: a request without a token gets no error code.
const CHALLENGES: Readonly<Record<IamErrorKind, string>> = {
  MissingToken: "",
  InvalidToken: ', error="invalid_token"',
  Expired: ', error="invalid_token", error_description="The token has expired"',
  InsufficientRole: ', error="insufficient_scope"',
  MissingClaims: ', error="insufficient_scope"',
  VerifierUnavailable: "",
};

/** Scopes separated by spaces (RFC 6749, section 3.3). Other characters could end the quoted text or the header. */
const SCOPES = /^[!#-[\]-~]+(?: [!#-[\]-~]+)*$/;

/** A refusal of a caller. Its HTTP response: 401 or 403 with a challenge, or 503. */
class IamError implements IntoReply {
  readonly kind: IamErrorKind;
  readonly code: IdentityCode;
  readonly reason: string | undefined;
  readonly cause: unknown;
  readonly scope: string | undefined;
  readonly #scheme: string;

  private constructor(kind: IamErrorKind, particulars: Particulars = {}) {
    const { reason, cause, scope, scheme = "Bearer" } = particulars;
    this.kind = kind;
    this.code = CODES[kind];
    this.reason = reason;
    this.cause = cause;
    this.scope = scope;
    this.#scheme = scheme;
  }

  static missingToken(): IamError {
    return new IamError("MissingToken");
  }

  /** `reason` is for logs only: it would help a forger to know which check failed. */
  static invalidToken(reason: string, cause?: unknown): IamError {
    return new IamError("InvalidToken", { reason, cause });
  }

  static expired(): IamError {
    return new IamError("Expired");
  }

  static insufficientRole(reason: string): IamError {
    return new IamError("InsufficientRole", { reason });
  }

  /** `scope`: the scopes that would have been sufficient. */
  static missingClaims(reason: string, scope?: string): IamError {
    return new IamError("MissingClaims", { reason, scope });
  }

  /** The token could not be verified. */
  static verifierUnavailable(reason: string, cause?: unknown): IamError {
    return new IamError("VerifierUnavailable", { reason, cause });
  }

  /** The same error for callers of another scheme than Bearer (RFC 9110, section 11.1). */
  challengedAs(scheme: string): IamError {
    const { kind, reason, cause, scope } = this;
    return new IamError(kind, { reason, cause, scope, scheme });
  }

  toReply(): Reply<ProblemDetail> {
    const { status, title } = identityCodes[this.code];
    const body = new ProblemDetail({ code: this.code, status, title });
    const challenge = this.#challenge(status);
    const headers: Record<string, string> = status === 503 ? { "retry-after": "1" } : {};
    if (challenge !== undefined) headers["www-authenticate"] = challenge;
    return respond({ headers, body });
  }

  #challenge(status: number): string | undefined {
    if (status === 503) return undefined;
    if (this.#scheme !== "Bearer") return status === 401 ? `${this.#scheme} realm="api"` : undefined;
    const wanted = this.scope === undefined || !SCOPES.test(this.scope) ? "" : `, scope="${this.scope}"`;
    return `Bearer realm="api"${CHALLENGES[this.kind]}${wanted}`;
  }
}

// A boundary of one copy of the package accepts errors of a verifier of another copy.
const SharedIamError = interned("IamError", () => IamError);
type SharedIamError = IamError;

export { SharedIamError as IamError };
