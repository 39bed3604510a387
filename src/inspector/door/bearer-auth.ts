import { createHash, timingSafeEqual } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { IamVerifier, Verification } from "#core/iam/iam-verifier.js";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";

/** An operator may do everything; a viewer changes nothing, and sends nothing into the service. */
export type InspectorRole = "operator" | "viewer";

export interface InspectorTokens {
  /** At least 16 characters, of visible ASCII. */
  readonly operator: string;
  readonly viewer?: string;
}

/** A role, and what the audit log calls its owner: a name or an address, or the `sub` of a token. */
export interface NamedRole {
  readonly role: InspectorRole;
  readonly id: string;
}

/**
 * Returns the role of a token; undefined or null, or throws, for a token that is refused. Without an
 * `id` the audit log has the beginning of the token's hash.
 */
export type VerifyToken = (
  token: string,
  verification: Verification,
) => MaybePromise<InspectorRole | NamedRole | undefined | null>;

type Answer = IamIdentity | IamError;

export const OPERATOR_VARIABLE = "FRAMEWORK_INSPECTOR_BEARER_TOKEN";
export const VIEWER_VARIABLE = "FRAMEWORK_INSPECTOR_VIEWER_TOKEN";

/** The shortest token that is taken. */
const MIN_TOKEN = 16;
/** The longest name of a token's owner. */
const MAX_ID = 200;
const TOKEN = /^[\x21-\x7e]{16,4096}$/;

/** Who may use the Inspector, by the bearer token of the Authorization header. */
export class BearerAuth {
  /** @internal */
  readonly verifier: IamVerifier;

  private constructor(verifier: IamVerifier) {
    this.verifier = verifier;
    Object.freeze(this);
  }

  /** Two tokens, compared in constant time. Throws CONFIG_INVALID for one that is too short, and for two that are one. */
  static tokens(tokens: InspectorTokens): BearerAuth {
    const call = "BearerAuth.tokens";
    requireKnownOptions(call, tokens, ["operator", "viewer"]);
    const { operator, viewer } = tokens;
    requireToken(call, "operator", operator);
    if (viewer !== undefined) requireToken(call, "viewer", viewer);
    if (viewer === operator) throw invalidOption(call, "the viewer's token is the operator's: make another");
    return new BearerAuth({ description: "the Inspector's tokens", verify: verifyTokens(operator, viewer) });
  }

  /**
   * The tokens in FRAMEWORK_INSPECTOR_BEARER_TOKEN and, where it is set,
   * FRAMEWORK_INSPECTOR_VIEWER_TOKEN; an empty one counts as unset. Throws CONFIG_INVALID.
   */
  static fromEnv(env: Readonly<Record<string, string | undefined>> = process.env): BearerAuth {
    const { [OPERATOR_VARIABLE]: operator, [VIEWER_VARIABLE]: viewer } = env;
    if (!operator)
      throw invalidOption(
        "BearerAuth.fromEnv",
        `${OPERATOR_VARIABLE} is not set: give it ${MIN_TOKEN} characters or more`,
      );
    requireToken("BearerAuth.fromEnv", OPERATOR_VARIABLE, operator);
    if (viewer) requireToken("BearerAuth.fromEnv", VIEWER_VARIABLE, viewer);
    return BearerAuth.tokens({ operator, ...(viewer && { viewer }) });
  }

  /** Tokens of an identity provider, for instance: `verify` returns the role of their owner here. */
  static verify(verify: VerifyToken): BearerAuth {
    if (typeof verify !== "function")
      throw invalidOption(
        "BearerAuth.verify",
        'give a function that answers "operator", "viewer" or undefined',
      );
    return new BearerAuth({
      description: "a function of the program",
      verify: (token, verification) => {
        const role = verify(token, verification);
        const answer = (settled: unknown): Answer => answerOf(settled, token);
        return isPending(role) ? Promise.resolve(role).then(answer) : answer(role);
      },
    });
  }
}

/** `token` is what {@link tokenIdOf} returns of it. */
export const identityOf = (role: InspectorRole, token = role as string): IamIdentity => ({
  subject: role,
  roles: [role],
  claims: { token },
});

export const roleOf = ({ roles }: IamIdentity): InspectorRole =>
  roles.includes("operator") ? "operator" : "viewer";

/** For the audit log: what names the token, and is none. */
export const tokenIdOf = ({ claims }: IamIdentity): string => String(claims["token"]);

const UNKNOWN = IamError.invalidToken("It is no token of this Inspector");

function answerOf(settled: unknown, token: string): Answer {
  if (settled === undefined || settled === null) return UNKNOWN;
  const { role, id = idOf(digestOf(token)) }: Partial<NamedRole> =
    typeof settled === "object" ? settled : { role: settled as InspectorRole };
  if (role !== "operator" && role !== "viewer")
    throw new TypeError(
      'BearerAuth.verify: its function answered neither "operator" nor "viewer" nor undefined',
    );
  if (typeof id !== "string" || id === "" || id.length > MAX_ID)
    throw new TypeError(
      `BearerAuth.verify: its function answered an id that is no text of 1 to ${MAX_ID} characters`,
    );
  return identityOf(role, id);
}

function verifyTokens(operator: string, viewer: string | undefined): IamVerifier["verify"] {
  const operators = digestOf(operator);
  // The digest of no text: both comparisons are made in any case, so that each token costs the same time.
  const viewers = viewer === undefined ? new Uint8Array(operators.length) : digestOf(viewer);
  return (token) => {
    const shown = digestOf(token);
    const isOperator = timingSafeEqual(shown, operators);
    const isViewer = timingSafeEqual(shown, viewers);
    // hole: any token would be an operator's
    if (isOperator) return identityOf("operator", idOf(shown));
    return isViewer ? identityOf("viewer", idOf(shown)) : UNKNOWN;
  };
}

/** 48 bits of a token of at least 16 characters: too few to find it by. */
const idOf = (digest: Uint8Array): string => Buffer.from(digest).toString("hex", 0, 6);

const digestOf = (token: string): Uint8Array => createHash("sha256").update(token).digest();

/** The message does not quote the token. */
function requireToken(call: string, name: string, token: unknown): void {
  if (isToken(token)) return;
  throw invalidOption(
    call,
    `${name} is to have ${MIN_TOKEN} to 4096 characters of visible ASCII, without spaces`,
  );
}

export const isToken = (token: unknown): token is string => typeof token === "string" && TOKEN.test(token);

const isPending = (answer: unknown): answer is PromiseLike<unknown> =>
  typeof (answer as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
