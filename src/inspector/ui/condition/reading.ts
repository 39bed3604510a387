// What a condition that is being typed is: nothing yet, right, or wrong at a place. The same
// parser as the server's says so.

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

/** The text in pieces for colours; all of it, whatever it is. From where it is wrong on it is one piece. */
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

/** What stands before a mistake is tokens, though the whole is none. */
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
