// Content-Type (RFC 9110, section 8.3.1), and the parameters of other headers with the same
// syntax.

export interface ContentType {
  /** In lower case: "text/plain". */
  readonly type: string;
  /** By lower-case name. */
  readonly parameters: ReadonlyMap<string, string>;
}

const TYPE = /^[!#$%&'*+\-.^_`|~0-9a-z]+\/[!#$%&'*+\-.^_`|~0-9a-z]+$/;
// A name, and a token or a quoted text with backslash escapes.
const PARAMETER =
  /([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\[\s\S])*)"|([!#$%&'*+\-.^_`|~0-9A-Za-z]+))/y;

/** The type alone, in lower case; undefined if invalid. Parameters are not checked. */
export function mediaTypeOf(text: string): string | undefined {
  const end = text.indexOf(";");
  const type = (end < 0 ? text : text.slice(0, end)).trim().toLowerCase();
  return TYPE.test(type) ? type : undefined;
}

/** Undefined if malformed or if a parameter occurs twice. */
export function parseContentType(text: string): ContentType | undefined {
  const type = mediaTypeOf(text);
  const end = text.indexOf(";");
  const parameters = parseParameters(end < 0 ? "" : text.slice(end));
  return type === undefined || parameters === undefined ? undefined : { type, parameters };
}

/**
 * Parameters as they follow a type, from the first ";" on. Undefined if malformed or if one
 * occurs twice. Only a quote and a backslash are unescaped: browsers do not escape the
 * backslash of a file's name.
 */
export function parseParameters(text: string): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  let at = pastBlanks(text, 0);
  while (at < text.length) {
    if (text[at] !== ";") return undefined;
    at = pastBlanks(text, at + 1);
    if (at === text.length || text[at] === ";") continue;
    PARAMETER.lastIndex = at;
    const [, name = "", quoted, token = ""] = PARAMETER.exec(text) ?? [];
    const key = name.toLowerCase();
    if (key === "" || parameters.has(key)) return undefined;
    parameters.set(key, quoted === undefined ? token : quoted.replace(/\\(["\\])/g, "$1"));
    at = pastBlanks(text, PARAMETER.lastIndex);
  }
  return parameters;
}

function pastBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === " " || text[at] === "\t") at += 1;
  return at;
}

/** True if the charset is UTF-8 or absent. */
export const isInUtf8 = ({ parameters }: ContentType): boolean =>
  /^utf-?8$/i.test(parameters.get("charset") ?? "utf-8");
