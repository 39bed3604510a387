// What processes of a service ask or tell each other. Of one that runs another build of the
// program, while it is restarted worker by worker, nobody knows what it says.

import type { TSchema } from "@sinclair/typebox";

import { compileSchema } from "#schema/validator.js";

export interface Subject<T> {
  /** What it is called between them. */
  readonly about: string;
  /** Whether what is said of it, never null, is what this build can read. */
  readonly fits: (said: unknown) => said is T;
}

/** Compiled when something is said of it for the first time: most processes have no peers. */
export function subject<T>(about: string, schema: TSchema & { readonly static: T }): Subject<T> {
  let check: ((said: unknown) => boolean) | undefined;
  return {
    about,
    fits: (said): said is T => {
      check ??= compileSchema(schema, { owner: `What peers say of '${about}'`, origin: "json" }).check;
      return check(said);
    },
  };
}
