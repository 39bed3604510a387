import fc from "fast-check";
import { anyText } from "./any-text.js";

const PIECES = [
  "",
  "null",
  "*",
  ".",
  "..",
  "/",
  "\\",
  "@",
  ":",
  ":443",
  ":0443",
  ":65536",
  "#",
  "?",
  "%2e",
  "%0d%0a",
  "\r\n",
  "\n",
  "\0",
  "\t",
  " ",
  ",",
  ";",
  "é",
  "\u0130",
  "\u212a",
  "\u3002",
  "\uff0e",
  "\ud800",
  "[::1]",
  "evil.example",
  ".evil.example",
  "https://",
  "http://",
  "a".repeat(300),
];

/** Text that is `good`, or looks like it: pieces put in, parts taken out, changed in case, repeated. */
export const hostileOrigin = (good: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 1, arbitrary: anyText({ maxLength: 400 }) },
    {
      weight: 6,
      arbitrary: fc
        .array(fc.tuple(fc.nat(good.length), fc.nat(3), fc.constantFrom(...PIECES)), {
          minLength: 1,
          maxLength: 3,
        })
        .map((changes) =>
          changes.reduce((text, [at, cut, piece]) => text.slice(0, at) + piece + text.slice(at + cut), good),
        ),
    },
    { weight: 1, arbitrary: fc.mixedCase(fc.constant(good)) },
  );
