// Reads the environment, once. No other file of `core` does. Only the mode decides masking,
// access checks, poisoning and output validation.

export interface Mode {
  readonly production: boolean;
  /** FRAMEWORK_PROFILE, if set. */
  readonly profile?: string;
  /** Reason for the mode, for `config explain`. */
  readonly reason: string;
}

/** An unknown profile is production: a typing error must not unmask errors. */
export function decideMode(env: Readonly<Record<string, string | undefined>>): Mode {
  const profile = env["FRAMEWORK_PROFILE"];
  if (profile !== undefined && profile !== "") {
    const production = profile !== "dev" && profile !== "test";
    return { production, profile, reason: `FRAMEWORK_PROFILE is '${profile}'` };
  }
  // `node --test` sets this for the files it runs.
  if (env["NODE_TEST_CONTEXT"] !== undefined) return { production: false, reason: "run by node --test" };
  return { production: true, reason: "FRAMEWORK_PROFILE is not set" };
}

export const mode: Mode = Object.freeze(decideMode(process.env));
