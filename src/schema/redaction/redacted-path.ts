import { REDACTED } from "#core/secrets/secret.js";
import { isHiddenName } from "#core/secrets/sensitive-names.js";
import { withoutCredentials } from "#core/wire/credential-text.js";

const MAX_PATH = 1024;

/**
 * A path without apparent secrets, and without the values of parameters with a sensitive or a marked name:
 * "/reset/:token" becomes "/reset/[redacted]". Reads at most 1024 characters.
 */
export function redactedPath(path: string, route: string | undefined): string {
  const kept = path.slice(0, MAX_PATH);
  return withoutCredentials(withoutSecrets(path, route) ?? kept, kept.length < path.length).slice(
    0,
    MAX_PATH,
  );
}

/** True if a parameter of the route has a sensitive or a marked name. */
export const hasSecretParameter = (route: string): boolean => patternOf(route).some(isSecret);

const patternOf = (route: string): readonly string[] => route.slice(route.indexOf("/")).split("/");

/** Undefined if no parameter of the route has a sensitive name. */
function withoutSecrets(path: string, route: string | undefined): string | undefined {
  const pattern = route === undefined ? [] : patternOf(route);
  if (!pattern.some(isSecret)) return undefined;
  const segments = path.split("/");
  const takesRest = pattern.at(-1)?.startsWith("*") === true;
  // If the number of slashes differs, no segment can be assigned to its parameter: all are masked.
  if (takesRest ? segments.length < pattern.length : segments.length !== pattern.length) return REDACTED;
  const rest = takesRest && isSecret(pattern.at(-1) as string) ? pattern.length - 1 : segments.length;
  const shown = segments.slice(0, rest + 1);
  return shown
    .map((segment, at) => (at >= rest || isSecret(pattern[at] ?? "") ? REDACTED : segment))
    .join("/")
    .slice(0, MAX_PATH);
}

const isSecret = (segment: string): boolean => /^[:*]/.test(segment) && isHiddenName(segment.slice(1));
