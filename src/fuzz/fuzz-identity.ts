/** The name of the caller without an identity. */
export const NOBODY = "nobody";

/** Who a client is, and what its requests carry to say so. */
export interface FuzzIdentity {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  /** As the application knows it: a route whose policy asks for others must refuse it. */
  readonly roles?: readonly string[];
  readonly claims?: Readonly<Record<string, unknown>>;
}

export type FuzzIdentities = Readonly<Record<string, FuzzIdentity>>;
