import { invalidOption } from "#core/invalid-option.js";

const OPERATIONS = {
  append: (input: string, text: string) => input + text,
  prepend: (input: string, text: string) => text + input,
  /** By Unicode's rules, without a locale: the same on every machine. */
  upper: (input: string) => input.toUpperCase(),
  lower: (input: string) => input.toLowerCase(),
  trim: (input: string) => input.trim(),
} as const;

export type StringOperation = keyof typeof OPERATIONS;

/** One operation on a string: `new StringNode("append", "!")`, `new StringNode("upper")`. */
export class StringNode {
  readonly name = "StringNode";
  readonly description: string;
  readonly #operate: (input: string, text: string) => string;
  readonly #text: string;

  constructor(operation: "append" | "prepend", text: string);
  constructor(operation: "upper" | "lower" | "trim");
  constructor(operation: StringOperation, text = "") {
    if (!Object.hasOwn(OPERATIONS, operation)) {
      throw invalidOption(
        `StringNode(${JSON.stringify(operation)})`,
        `use one of ${Object.keys(OPERATIONS).join(", ")}`,
      );
    }
    this.description = text === "" ? operation : `${operation} ${JSON.stringify(text)}`;
    this.#operate = OPERATIONS[operation];
    this.#text = text;
  }

  run(input: string): string {
    return this.#operate(input, this.#text);
  }
}
