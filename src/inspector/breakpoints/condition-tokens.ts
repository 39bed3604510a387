// A condition's text as tokens. No expression can match one text in two ways: reading takes
// linear time.

import {
  ConditionError,
  MAX_CONDITION_LENGTH,
  MAX_PATH_LENGTH,
  type Operator,
  operators,
} from "./condition.js";

export type Token = { readonly at: number; readonly end: number } & (
  | { readonly kind: "path"; readonly path: readonly string[] }
  | { readonly kind: "operator"; readonly operator: Operator }
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly number: number }
  | { readonly kind: "&&" | "||" | "!" | "(" | ")" | "end" }
);

const SPACE = /[ \t\r\n]*/y;
const SIGN = /&&|\|\||==|!=|<=|>=|[<>!()]/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;
const INDEX = /0|[1-9]\d{0,9}/y;
// Control characters are allowed: a payload may hold them.
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy;
const ESCAPE = /\\(u[0-9a-fA-F]{4}|.)/gs;

const ESCAPED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const LITERAL = "\"'\\/";

/** All tokens, the last of kind "end". Throws ConditionError. */
export function tokensOf(text: string): readonly Token[] {
  if (text.length > MAX_CONDITION_LENGTH) {
    const expected = `the end: a condition has at most ${MAX_CONDITION_LENGTH} characters`;
    throw new ConditionError(MAX_CONDITION_LENGTH, expected, "more");
  }
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at = endOf(SPACE, text, at) ?? at;
    const token = tokenAt(text, at);
    tokens.push(token);
    if (token.kind === "end") return tokens;
    at = token.end;
  }
}

/** The text of a token, for a message. */
export function foundAt(text: string, { kind, at, end }: Token): string {
  if (kind === "end") return "the end";
  const shown = text.slice(at, end);
  return `'${shown.length > 30 ? `${shown.slice(0, 29)}…` : shown}'`;
}

function tokenAt(text: string, at: number): Token {
  if (at === text.length) return { kind: "end", at, end: at };
  const first = text.charAt(at);
  if (first === '"' || first === "'") return textAt(text, at);
  if (first === "[") return pathAt(text, at);
  const afterSign = endOf(SIGN, text, at);
  if (afterSign !== undefined) return signOf(text.slice(at, afterSign), at, afterSign);
  const afterNumber = endOf(NUMBER, text, at);
  if (afterNumber !== undefined) return numberOf(text.slice(at, afterNumber), at, afterNumber);
  if (endOf(NAME, text, at) !== undefined) return pathAt(text, at);
  throw wrong(text, at, "a path, a comparison or a value");
}

function signOf(sign: string, at: number, end: number): Token {
  const operator = operators.find((one) => one === sign);
  if (operator !== undefined) return { kind: "operator", operator, at, end };
  return { kind: sign as "&&" | "||" | "!" | "(" | ")", at, end };
}

function numberOf(digits: string, at: number, end: number): Token {
  const number = Number(digits);
  if (!Number.isFinite(number)) throw new ConditionError(at, "a number that is not as large", digits);
  return { kind: "number", number: number === 0 ? 0 : number, at, end };
}

function textAt(text: string, at: number): Token & { readonly kind: "text" } {
  const end = endOf(QUOTED, text, at);
  if (end === undefined)
    throw new ConditionError(
      text.length,
      `the closing ${text.charAt(at)} of the text that begins at ${at}`,
      "the end",
    );
  const read = text.slice(at + 1, end - 1).replace(ESCAPE, (written, what: string, offset: number) => {
    if (what.length > 1) return String.fromCharCode(Number.parseInt(what.slice(1), 16));
    const char = LITERAL.includes(what) ? what : ESCAPED[what];
    if (char !== undefined) return char;
    throw new ConditionError(at + 1 + offset, "an escape of JSON, such as \\n or \\u00e9", `'${written}'`);
  });
  return { kind: "text", text: read, at, end };
}

/** A path, which has no spaces, is one token. */
function pathAt(text: string, from: number): Token {
  const path: string[] = [];
  let at = from;
  if (text.charAt(at) !== "[") {
    at = endOf(NAME, text, from) ?? from;
    const name = text.slice(from, at);
    if (name !== "$") path.push(name);
  }
  for (;;) {
    const sign = text.charAt(at);
    if (sign !== "." && sign !== "[") return { kind: "path", path, at: from, end: at };
    if (path.length === MAX_PATH_LENGTH)
      throw wrong(text, at, `the path's end: it has at most ${MAX_PATH_LENGTH} parts`);
    const part = sign === "." ? memberAt(text, at + 1) : indexAt(text, at + 1);
    path.push(part.name);
    at = part.end;
  }
}

interface Part {
  readonly name: string;
  readonly end: number;
}

function memberAt(text: string, at: number): Part {
  const end = endOf(NAME, text, at) ?? endOf(INDEX, text, at);
  if (end === undefined) throw wrong(text, at, "the name of a property");
  return { name: text.slice(at, end), end };
}

function indexAt(text: string, at: number): Part {
  const quote = text.charAt(at);
  const quoted = quote === '"' || quote === "'" ? textAt(text, at) : undefined;
  const end = quoted?.end ?? endOf(INDEX, text, at);
  if (end === undefined) throw wrong(text, at, "an index, or a name in quotes");
  if (text.charAt(end) !== "]") throw wrong(text, end, "']'");
  return { name: quoted?.text ?? text.slice(at, end), end: end + 1 };
}

const wrong = (text: string, at: number, expected: string): ConditionError =>
  new ConditionError(
    at,
    expected,
    at < text.length ? `'${String.fromCodePoint(text.codePointAt(at) as number)}'` : "the end",
  );

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
