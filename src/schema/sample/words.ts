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

/** Words of so many characters together. */
export function words(choice: Choice, length: number): string {
  let text = word(choice);
  while (text.length < length) text += ` ${word(choice)}`;
  // A space at the end is what people's forms cut off.
  return text.slice(0, length).replace(/ $/, "-");
}
