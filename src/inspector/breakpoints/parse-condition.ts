import { type Condition, ConditionError, MAX_NESTING, type Operator, type Scalar } from "./condition.js";
import { foundAt, type Token, tokensOf } from "./condition-tokens.js";

/** `!` binds closest, then `&&`, then `||`. Throws ConditionError. */
export const parseCondition = (text: string): Condition => new Parser(text).whole();

const VALUE = "a value: a text in quotes, a number, true, false or null";
const LITERALS: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;
  #nesting = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  whole(): Condition {
    const condition = this.#or();
    if (this.#token.kind !== "end") throw this.#wrong("'&&', '||' or the end");
    return condition;
  }

  get #token(): Token {
    return this.#tokens[this.#next] as Token;
  }

  #or(): Condition {
    return this.#joined("||", "or", () => this.#joined("&&", "and", () => this.#term()));
  }

  #joined(sign: "&&" | "||", kind: "and" | "or", read: () => Condition): Condition {
    const first = read();
    if (this.#token.kind !== sign) return first;
    const terms = [first];
    while (this.#take(sign)) terms.push(read());
    return { kind, terms };
  }

  #term(): Condition {
    const { kind } = this.#token;
    if (kind !== "!" && kind !== "(") return this.#comparison();
    // The parser is as deep on the stack as the condition nests.
    if (this.#nesting === MAX_NESTING)
      throw this.#wrong(`a comparison: conditions nest at most ${MAX_NESTING} deep`);
    this.#nesting += 1;
    const term = this.#take("!") ? ({ kind: "not", term: this.#term() } as const) : this.#inParentheses();
    this.#nesting -= 1;
    return term;
  }

  #inParentheses(): Condition {
    this.#take("(");
    const condition = this.#or();
    if (!this.#take(")")) throw this.#wrong("'&&', '||' or ')'");
    return condition;
  }

  #comparison(): Condition {
    const left = this.#token;
    if (left.kind !== "path") throw this.#wrong("a path such as order.lines[0].sku, '!' or '('");
    this.#next += 1;
    const sign = this.#token;
    if (sign.kind !== "operator") throw this.#wrong("a comparison: ==, !=, <, <=, > or >=");
    this.#next += 1;
    const value = this.#value(sign.operator);
    return { kind: "comparison", path: left.path, operator: sign.operator, value };
  }

  #value(operator: Operator): Scalar {
    const token = this.#token;
    const value = scalarOf(token, this.#text);
    const isOrdered = typeof value === "string" || typeof value === "number";
    if (value === undefined) throw this.#wrong(VALUE);
    if (!isOrdered && operator !== "==" && operator !== "!=")
      throw this.#wrong("a text in quotes or a number");
    this.#next += 1;
    return value;
  }

  #take(kind: Token["kind"]): boolean {
    if (this.#token.kind !== kind) return false;
    this.#next += 1;
    return true;
  }

  #wrong(expected: string): ConditionError {
    return new ConditionError(this.#token.at, expected, foundAt(this.#text, this.#token));
  }
}

/** A token as a value: `true` is a path elsewhere. */
function scalarOf(token: Token, text: string): Scalar | undefined {
  switch (token.kind) {
    case "text":
      return token.text;
    case "number":
      return token.number;
    case "path":
      return LITERALS.get(text.slice(token.at, token.end));
    default:
      return undefined;
  }
}
