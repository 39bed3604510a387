// How one text may stand in another: as it is, and as JSON, URLs, forms and base64 write it.

/** JSON that is a text in JSON, and that once more: an error that quotes a fault that quotes a body. */
const JSON_LEVELS = 3;

/** The text itself, and what it looks like elsewhere where that is something else. */
export function formsOf(text: string): readonly string[] {
  // A half of a surrogate pair is what UTF-8 makes of it, or it could not be encoded.
  const whole = Buffer.from(text).toString("utf8");
  const forms = [text, whole, encodeURIComponent(whole), asField(whole), ...inBase64(whole)];
  let quoted = text;
  for (let level = 0; level < JSON_LEVELS; level += 1) {
    quoted = JSON.stringify(quoted).slice(1, -1);
    forms.push(quoted);
  }
  return [...new Set(forms)];
}

/** As a form or a query has it: a blank is a plus. */
const asField = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

/** Characters of base64 that what stands before has a part in, by the number of its bytes beyond threes. */
const BEGINS = [0, 2, 3] as const;

/** Wherever in what is encoded it begins: without the characters that its neighbours have a part in. */
function inBase64(text: string): readonly string[] {
  const bytes = Buffer.from(text);
  return BEGINS.flatMap((begins, before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    const end = all.length % 3 === 0 ? undefined : -1;
    const [plain, forUrls] = [all.toString("base64").replace(/=+$/, ""), all.toString("base64url")];
    return [plain.slice(begins, end), forUrls.slice(begins, end)];
  });
}

const BASIC = /^\s*basic\s+([\w+/-]+)/i;

/** What credentials of the scheme Basic hold (RFC 7617): both together, and the password. */
export function basicCredentials(text: string): readonly string[] {
  const [, encoded] = BASIC.exec(text) ?? [];
  if (encoded === undefined) return [];
  const both = Buffer.from(encoded, "base64").toString("utf8");
  return [both, both.slice(both.indexOf(":") + 1)];
}
