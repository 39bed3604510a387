import type { KeyObject } from "node:crypto";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { IamError } from "#core/iam/iam-error.js";
import type { Verification } from "#core/iam/iam-verifier.js";
import type { JwsAlgorithm } from "./jws-algorithm.js";

/** The key named in a token's header. Unverified: a forger can choose it. */
export interface KeyHint {
  /** One of the verifier's algorithms. */
  readonly alg: JwsAlgorithm;
  /** At most 256 characters. Undefined if the header has none. */
  readonly kid: string | undefined;
}

/**
 * A source of keys for a JwtVerifier: `JwtKeys.secret(...)`, `.pem(...)`, `.jwkSet(...)`, a URL, or
 * an object of your own.
 */
export interface VerificationKeys {
  /** Its text in drawings: "1 key of a JWK set". Contains no secret. */
  readonly description: string;
  /** Changes when a key was removed: earlier verifications by it are void. Absent: it never changes. */
  readonly generation?: number;
  /**
   * Called once by each verifier that uses it. Throws CONFIG_INVALID if its keys are known and none
   * of them fits one of the algorithms.
   */
  readonly requireFor?: (algorithms: readonly JwsAlgorithm[]) => void;
  /**
   * The key of the token: a public one, or a secret for HS. Undefined if there is none: the token is
   * invalid. An IamError if the key could not be determined. Without a `kid`, the only key for the
   * algorithm. The verifier refuses a key that does not fit `alg`.
   */
  readonly find: (
    hint: KeyHint,
    verification: Verification,
  ) => MaybePromise<KeyObject | IamError | undefined>;
}
