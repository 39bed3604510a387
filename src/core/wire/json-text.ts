/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

const PLAIN = /^[ !#-[\]-~]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON has to escape
const CONTROL = /[\x00-\x1f]/;

const escapesAll = Number(process.versions.node.split(".")[0]) >= 25;

/** A text in JSON, as pino writes it to the byte: most need no escape, and one look tells. */
export const jsonText = (text: string): string => jsonMember('"', text);

/** The same behind what ends with its opening quote, as `,"path":"`: a piece less to put together. */
export const jsonMember = (before: string, text: string): string =>
  // biome-ignore lint/style/useTemplate: a template asks of each part whether it is a text
  PLAIN.test(text) ? before + text + '"' : before.slice(0, -1) + escaped(text);

// Pino escapes short texts by itself, and leaves half a surrogate pair to the encoder,
// which writes U+FFFD; JSON.stringify escapes it.
const escaped = (text: string): string =>
  escapesAll || text.length > 100 || CONTROL.test(text)
    ? JSON.stringify(text)
    : `"${text.replace(/["\\]/g, "\\$&")}"`;
