// The command line of a script: its options and words, its help, and what is wrong of them.

import { parseArgs } from "node:util";

/**
 * What `read` makes of the command line: of `values` of `options` (those of parseArgs), of `words`
 * where the command takes some, and of `count(option, least)`, which is a whole number.
 *
 * `--help` prints the help and ends with 0. Options that are unknown, and whatever `read` throws,
 * are told with the help behind, and end with 2.
 */
export function commandLine(help, { options = {}, words = false } = {}, read = ({ values }) => values) {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: words,
      options: { ...options, help: { type: "boolean" } },
    });
    if (values.help) {
      console.log(help);
      process.exit(0);
    }
    return read({ values, words: positionals, count: (...of) => count(values, ...of) });
  } catch (error) {
    console.error(`${error.message}\n\n${help}`);
    process.exit(2);
  }
}

function count(values, option, least = 0) {
  const value = Number(values[option]);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`--${option} ${values[option]}: use a whole number, ${least} or more`);
}
