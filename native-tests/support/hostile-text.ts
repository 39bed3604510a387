import fc from "fast-check";
import { anyText } from "./any-text.js";

const ACTIVE = ['"', "\\", "\n", "\r", "\t", "\0", "\x1b[2J", "\x7f", "\x85", "\u2028", "\u202e", "a"];
// In texts of up to 100 characters and in longer ones, which pino escapes in two ways.
const HALVES = ["x".repeat(30), "\ud83d", "\ude00", "\ud83d\ude00", "\\"];

const parts = (of: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...of), { maxLength }).map((texts) => texts.join(""));

/** What a terminal or a reader of lines may act on, and what is no text in UTF-8. */
export const hostileText = (): fc.Arbitrary<string> =>
  fc.oneof(
    anyText({ maxLength: 300 }),
    fc.string({ unit: "grapheme", maxLength: 150 }),
    parts(ACTIVE, 130),
    parts(HALVES, 8),
  );
