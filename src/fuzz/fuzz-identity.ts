/** The name of the caller without an identity. */
export const NOBODY = "nobody";

/** An identity of a client, and the credentials of its requests. */
export interface FuzzIdentity {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  /** As the application knows it: a route with a policy for other roles must refuse it. */
  readonly roles?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

export type FuzzIdentities = Readonly<Record<string, FuzzIdentity>>;
