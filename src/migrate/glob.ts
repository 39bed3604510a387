import { createRequire } from "node:module";
import type * as Re2 from "re2js";

// Loaded at the first glob with several wildcards.
const require = createRequire(import.meta.url);

/** The files that a rule is for. */
export interface FileMatch {
  /** As written; undefined: those that the kind of the rule is for. */
  readonly globs: readonly string[] | undefined;
  /** Whether one of the paths, all of one file, matches. */
  test(paths: readonly string[]): boolean;
}

export function fileMatch(globs: readonly string[], isGiven: boolean): FileMatch {
  const tests = globs.map((glob) => pathTest(anywhere(glob)));
  return {
    globs: isGiven ? globs : undefined,
    test: (paths) => tests.some((test) => paths.some(test)),
  };
}

/** Wildcards of a glob that RegExp tries in time: for each the time grows with the length of the path. */
const MAX_WILDCARDS = 2;

/** Matches whole paths. Throws a SyntaxError for an invalid expression. */
export function pathTest(source: string): (path: string) => boolean {
  const pattern = new RegExp(`^(?:${source})$`, "us");
  if ((source.match(/\*/g)?.length ?? 0) <= MAX_WILDCARDS) return (path) => pattern.test(path);
  const { RE2JS } = require("re2js") as typeof Re2;
  const linear = RE2JS.compile(source, RE2JS.DOTALL);
  return (path) => linear.testExact(path);
}

// As in .gitignore: a name without a slash is of any folder.
const anywhere = (glob: string): string =>
  glob.includes("/") ? globSource(glob.replace(/^\.?\//, ""), true) : `(?:.*/)?${globSource(glob, true)}`;

const TOKEN = /\*\*\/|\/\*\*$|\*+|\[[!^]?\]?[^\]]*\]|\\?[\s\S]/gu;

/** A regular expression without anchors. Throws a SyntaxError for what is never closed. */
export function globSource(glob: string, hasBraces: boolean): string {
  let depth = 0;
  const parts = (glob.match(TOKEN) ?? []).map((token) => {
    if (token === "**/") return "(?:.*/)?";
    if (token === "/**") return "/.*";
    if (token.startsWith("*")) return token.length > 1 ? ".*" : "[^/]*";
    if (token === "?") return "[^/]";
    if (token === "[") throw new SyntaxError("a [ is not closed");
    if (token.startsWith("["))
      return `[${token
        .slice(1, -1)
        .replace(/^!/, "^")
        .replace(/[\\[\]]/g, "\\$&")}]`;
    if (hasBraces && token === "{") {
      depth += 1;
      return "(?:";
    }
    if (token === "}" && depth > 0) {
      depth -= 1;
      return ")";
    }
    return token === "," && depth > 0 ? "|" : escaped(token.replace(/^\\(?=[\s\S])/u, ""));
  });
  if (depth > 0) throw new SyntaxError("a { is not closed");
  return parts.join("");
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
