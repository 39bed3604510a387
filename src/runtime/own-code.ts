/** As many as may be made before two share again what V8 learns. */
const NUMBERS = 1024;

let made = 0;

/**
 * The code with a number behind it. V8 keeps what it has compiled by its text, and functions
 * of one text share what it learns of their calls: Axons of as many steps would each run as if
 * their steps could be the others' (16 in turn, two small steps each: 54 ns a run in place of 37).
 */
export function ownCode(code: string): string {
  made = (made + 1) % NUMBERS;
  return `${code}// ${made}`;
}
