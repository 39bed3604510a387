/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const PLAIN = /^[ !#-[\]-~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON has to escape
const CONTROL = /[\x00-\x1f]/;

const escapesAll = Number(process.versions.node.split(".")[0]) >= 25;

/** A text as JSON, byte for byte as pino writes it. Most texts need no escape, which one test shows. */
export const jsonText = (text: string): string => jsonMember('"', text);

/** A text as JSON after `before`, which ends with the opening quote: `,"path":"`. Saves a concatenation. */
export const jsonMember = (before: string, text: string): string =>
  // biome-ignore lint/style/useTemplate: a template asks of each part whether it is a text
  PLAIN.test(text) ? before + text + '"' : before.slice(0, -1) + escaped(text);

// Pino escapes short texts itself and leaves lone surrogates to the encoder, which writes
// U+FFFD. JSON.stringify escapes them.
const escaped = (text: string): string =>
  escapesAll || text.length > 100 || CONTROL.test(text)
    ? JSON.stringify(text)
    : `"${text.replace(/["\\]/g, "\\$&")}"`;
