// Sample texts for each format in formats.ts.

import { type Choice, oneOf } from "./choice.js";
import { word } from "./words.js";

const two = (n: number): string => String(n).padStart(2, "0");
const hex = (choice: Choice, digits: number): string =>
  Array.from({ length: digits }, () => choice.below(16).toString(16)).join("");

const date = (choice: Choice): string =>
  `${2020 + choice.below(10)}-${two(1 + choice.below(12))}-${two(1 + choice.below(28))}`;
const time = (choice: Choice): string =>
  `${two(choice.below(24))}:${two(choice.below(60))}:${two(choice.below(60))}Z`;
const hostname = (choice: Choice): string => `${word(choice)}.example`;
const uuid = (choice: Choice): string =>
  [
    hex(choice, 8),
    hex(choice, 4),
    `4${hex(choice, 3)}`,
    `${oneOf(choice, ["8", "9", "a", "b"])}${hex(choice, 3)}`,
    hex(choice, 12),
  ].join("-");

// Names and addresses reserved for documentation (RFC 2606, 5737, 3849).
export const formatTexts: ReadonlyMap<string, (choice: Choice) => string> = new Map([
  ["date", date],
  ["time", time],
  ["date-time", (choice: Choice) => `${date(choice)}T${time(choice)}`],
  [
    "duration",
    (choice: Choice) => oneOf(choice, ["PT15M", "P1D", `PT${1 + choice.below(59)}S`, "P2W", "P1Y2M3DT4H"]),
  ],
  ["email", (choice: Choice) => `${word(choice)}@${hostname(choice)}`],
  ["hostname", hostname],
  ["ipv4", (choice: Choice) => `192.0.2.${choice.below(256)}`],
  ["ipv6", (choice: Choice) => `2001:db8::${(1 + choice.below(0xffff)).toString(16)}`],
  ["uri", (choice: Choice) => `https://${hostname(choice)}/${word(choice)}`],
  ["uri-reference", (choice: Choice) => `/${word(choice)}/${word(choice)}`],
  ["uuid", uuid],
  ["json-pointer", (choice: Choice) => `/${word(choice)}/${choice.below(10)}`],
]);
