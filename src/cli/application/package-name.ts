import { isBuiltin } from "node:module";

const MAX_LENGTH = 214;
const PART = /^[a-z0-9-][a-z0-9._-]*$/;
const RESERVED: readonly string[] = ["node_modules", "favicon.ico", "framework"];

/** Why npm would refuse a package name; undefined if it would not. */
export function nameProblem(name: string): string | undefined {
  const [, scope, base = ""] = /^(?:@([^/]*)\/)?(.*)$/s.exec(name) ?? [];
  if (name.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (/[A-Z]/.test(name)) return `it has capital letters: ${name.toLowerCase()}`;
  if (/^[._]/.test(base)) return "it begins with a dot or an underscore";
  if (!PART.test(base) || (scope !== undefined && !PART.test(scope)))
    return "a name has small letters, digits, hyphens, dots and underscores, with a scope as in @acme/shop";
  if (RESERVED.includes(name) || isBuiltin(name)) return "another module has this name";
  return undefined;
}
