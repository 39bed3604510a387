// What untyped callers give in the place of a guard, told where it is mounted and not at the
// first request.

import { FrameworkError } from "#core/errors.js";
import type { AnyGuard } from "#core/guard.js";

/** Throws CONFIG_INVALID. */
export function requireGuard(guard: AnyGuard, where: string): AnyGuard {
  const { kind, name, run } = (guard ?? {}) as Partial<AnyGuard>;
  if (kind === "guard" && typeof name === "string" && name !== "" && typeof run === "function") {
    requireDeclarations(guard);
    return guard;
  }
  throw new FrameworkError("CONFIG_INVALID", `${where} was given no guard: ${remedyFor(guard)}`);
}

function remedyFor(given: unknown): string {
  if (Array.isArray(given)) return "a list is none: give each by itself";
  if (typeof given === "function" && given.name !== "")
    return `if ${given.name} is its class, write new ${given.name}(...)`;
  return 'make one, as in guard({ name: "office-hours", run: (input) => pass(input) })';
}

function requireDeclarations({ name, responseHeaders, cors, observer }: AnyGuard): void {
  const refuse = (what: string, form: string): never => {
    throw new FrameworkError("CONFIG_INVALID", `${what} of guard '${name}' is none: it has the form ${form}`);
  };
  const { always, overHttps, written, ...others } = partsOf(responseHeaders);
  if (!areParts(always, overHttps) || !isListOrNone(written) || Object.keys(others).length > 0)
    refuse("responseHeaders", "{ always?: { name: value }, overHttps?: { name: value }, written?: [...] }");
  const { linesFor, preflight } = partsOf(cors);
  if (cors !== undefined && !(typeof linesFor === "function" && typeof preflight === "function"))
    refuse("cors", "{ linesFor(origin, ownOrigin), preflight(asked) }");
  const { answered, reads } = partsOf(observer);
  if (observer !== undefined && !(typeof answered === "function" && Array.isArray(reads)))
    refuse("observer", "{ reads: [...], answered(answer, log) }");
}

const partsOf = (declared: unknown): Readonly<Record<string, unknown>> =>
  (declared ?? {}) as Readonly<Record<string, unknown>>;

const areParts = (...all: readonly unknown[]): boolean =>
  all.every((part) => part === undefined || (typeof part === "object" && part !== null));

const isListOrNone = (part: unknown): boolean => part === undefined || Array.isArray(part);
