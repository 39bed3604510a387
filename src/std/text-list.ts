import { invalidOption } from "#core/invalid-option.js";

/** Returns the list if it is one of texts. Throws CONFIG_INVALID, which names `call` and `what`. */
export function textList(call: string, what: string, list: readonly string[]): readonly string[] {
  if (Array.isArray(list) && list.every((item) => typeof item === "string")) return list;
  throw invalidOption(call, `${what} is no list of texts: write ["..."]`);
}
