// Secrets beside a value that is their name: in lists of names and values in turns, behind the flag of a
// program, and in `{ name: "DB_PASSWORD", value: "S" }`.

import { isSensitiveName } from "./sensitive-names.js";

/** "heads": names and values in turns. "pair": a name and its value, one of a list of pairs. */
export type ListForm = "heads" | "pair" | "plain";

/** Members that are such a list: Node.js has the headers of a message like that. */
export const isHeadList = (name: string): boolean => name === "rawHeaders" || name === "rawTrailers";

/** True for the member that names the `value` behind it, if that is a secret. */
export const namesSecret = (member: string, value: unknown): boolean =>
  (member === "name" || member === "key") && typeof value === "string" && isSensitiveName(value);

const FLAG = /^--?[A-Za-z][\w-]{0,255}$/;

/** True for an item that is the value of a secret, by the item before it. */
export function isSecretItem(before: unknown, at: number, form: ListForm): boolean {
  if (typeof before !== "string") return false;
  if (form === "plain") return before.startsWith("-") && FLAG.test(before) && isSensitiveName(before);
  return at % 2 === 1 && isSensitiveName(before);
}
