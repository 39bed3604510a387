import { type Choice, oneOf } from "./choice.js";

const WORDS = [
  "amber",
  "birch",
  "cedar",
  "delta",
  "ember",
  "fjord",
  "grove",
  "harbor",
  "iris",
  "juniper",
].concat(["kelp", "lotus", "maple", "north", "onyx", "pearl", "quartz", "river", "slate", "tulip"]);

export const word = (choice: Choice): string => oneOf(choice, WORDS);

/** Words with this total length. */
export function words(choice: Choice, length: number): string {
  let text = word(choice);
  while (text.length < length) text += ` ${word(choice)}`;
  // Forms trim a trailing space.
  return text.slice(0, length).replace(/ $/, "-");
}
