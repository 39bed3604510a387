/** The files that a rule is for. */
export interface FileMatch {
  /** As written; undefined: those that the kind of the rule is for. */
  readonly globs: readonly string[] | undefined;
  /** Whether one of the paths, all of one file, matches. */
  test(paths: readonly string[]): boolean;
}

export function fileMatch(globs: readonly string[], isGiven: boolean): FileMatch {
  const patterns = globs.map((glob) => new RegExp(`^${anywhere(glob)}$`, "u"));
  return {
    globs: isGiven ? globs : undefined,
    test: (paths) => patterns.some((pattern) => paths.some((path) => pattern.test(path))),
  };
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
