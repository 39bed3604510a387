import { REDACTED } from "#core/secret.js";
import { isSensitiveName } from "#core/sensitive-names.js";
import { withoutCredentials } from "#schema/credential-text.js";

const MAX_PATH = 1024;

/** A path without the values of parameters that are named like a secret: "/reset/:token" is "/reset/[redacted]". */
export function shownPath(path: string, route: string | undefined): string {
  const kept = path.slice(0, MAX_PATH);
  const pattern = route === undefined ? [] : route.slice(route.indexOf("/")).split("/");
  if (!pattern.some(isSecret)) return withoutCredentials(kept);
  const rest = pattern.findIndex((segment) => segment.startsWith("*") && isSecret(segment));
  const segments = kept.split("/");
  const shown = segments.map((segment, at) =>
    (rest >= 0 && at >= rest) || isSecret(pattern[at] ?? "") ? REDACTED : segment,
  );
  return withoutCredentials((rest < 0 ? shown : shown.slice(0, rest + 1)).join("/"));
}

const isSecret = (segment: string): boolean => /^[:*]/.test(segment) && isSensitiveName(segment.slice(1));
