// A value as form fields, one per line: `user[name]=Ada&tags[]=new`.

export const FORM = "application/x-www-form-urlencoded";

/** Readable text to edit; `sentForm` removes the line breaks. A value that a form cannot express is JSON. */
export function formText(value: unknown): string {
  return isGroup(value)
    ? fieldsOf(value, (name) => name)
        .map(([name, text]) => `${encoded(name)}=${encoded(text)}`)
        .join("\n&")
    : "";
}

/** Removes the line breaks between fields; a line break in a value is percent-encoded. */
export const sentForm = (text: string): string => text.replace(/\s*\n\s*/g, "");

type Group = Readonly<Record<string, unknown>>;

const isGroup = (value: unknown): value is Group =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function fieldsOf(group: Group, nameOf: (key: string) => string): readonly (readonly [string, string])[] {
  return Object.entries(group).flatMap(([key, value]): readonly (readonly [string, string])[] => {
    const name = nameOf(key);
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value.map((one) => [`${name}[]`, textOf(one)] as const);
    return isGroup(value) ? fieldsOf(value, (inner) => `${name}[${inner}]`) : [[name, textOf(value)]];
  });
}

const textOf = (value: unknown): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** Brackets are not encoded, so that names stay readable. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll("%20", "+").replaceAll("%5B", "[").replaceAll("%5D", "]");
