// Keys that a route's steps read and nobody provides, told with the route: an Axon may be
// mounted in several.

import type { Pattern } from "./pattern.js";

interface Mounted {
  readonly method: string;
  readonly pattern: Pattern;
  /** A line for each, which begins with the key's name in quotes. */
  readonly missing: readonly string[];
}

export function missingOn({ method, pattern: { text, names }, missing }: Mounted): readonly string[] {
  return missing.map((line) => {
    const parameter = /^'param:([^']+)'/.exec(line)?.[1];
    const isAbsent = parameter !== undefined && !names.includes(parameter);
    return `${line} on ${method} ${text}${isAbsent ? `, which has no ':${parameter}'` : ""}`;
  });
}
