// Parses a condition while it is typed: empty, valid, or wrong at a position. It uses the server's
// parser.

import { ConditionError } from "../../breakpoints/condition.js";
import { tokensOf } from "../../breakpoints/condition-tokens.js";
import { parseCondition } from "../../breakpoints/parse-condition.js";

export type Reading =
  | { readonly kind: "empty" }
  | { readonly kind: "right" }
  | { readonly kind: "wrong"; readonly position: number; readonly message: string };

export interface Piece {
  readonly kind: "path" | "sign" | "value" | "space" | "wrong";
  readonly text: string;
}

export function readCondition(text: string): Reading {
  if (text.trim() === "") return { kind: "empty" };
  try {
    parseCondition(text);
    return { kind: "right" };
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error;
    return { kind: "wrong", position: error.position, message: error.message };
  }
}

/** The text as coloured pieces, always complete. From a mistake on, the rest is one piece. */
export function piecesOf(text: string): readonly Piece[] {
  const reading = readCondition(text);
  const end = reading.kind === "wrong" ? reading.position : text.length;
  const pieces: Piece[] = [];
  let at = 0;
  for (const token of tokensBefore(text, end)) {
    if (token.end > end) break;
    if (token.at > at) pieces.push({ kind: "space", text: text.slice(at, token.at) });
    const word = text.slice(token.at, token.end);
    pieces.push({ kind: kindOf(token.kind, word), text: word });
    at = token.end;
  }
  if (at < end) pieces.push({ kind: "space", text: text.slice(at, end) });
  if (end < text.length) pieces.push({ kind: "wrong", text: text.slice(end) });
  return pieces;
}

type Tokens = ReturnType<typeof tokensOf>;

/** The tokens before a mistake, although the whole text does not parse. */
function tokensBefore(text: string, end: number): Tokens {
  try {
    return tokensOf(text.slice(0, end)).filter(({ kind }) => kind !== "end");
  } catch (error) {
    if (error instanceof ConditionError) return [];
    throw error;
  }
}

function kindOf(kind: Tokens[number]["kind"], word: string): Piece["kind"] {
  if (kind === "path") return word === "true" || word === "false" || word === "null" ? "value" : "path";
  return kind === "text" || kind === "number" ? "value" : "sign";
}
