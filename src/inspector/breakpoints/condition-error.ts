/** A condition that does not parse: where, and what would have been right there. */
export class ConditionError extends Error {
  override readonly name = "ConditionError";
  readonly code = "CONDITION_INVALID";
  /** From 0 to the text's length, in UTF-16 units. */
  readonly position: number;
  /** In words: "a value: a text in quotes, a number, true, false or null". */
  readonly expected: string;

  constructor(position: number, expected: string, found: string) {
    super(`At position ${position}: expected ${expected}, found ${found}`);
    this.position = position;
    this.expected = expected;
  }
}
