const SEALED = /^sealed:1:([\w-]{43})$/;
// Controls, marks of text direction, line separators: they could make a text look like another one.
const ACTIVE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A text of an audit event: a pseudonym shortened, what cannot be seen escaped. */
export function RecordedText({ text }: { readonly text: string }) {
  const [, pseudonym] = SEALED.exec(text) ?? [];
  if (pseudonym !== undefined)
    return (
      <span title={`Sealed with a person's key: ${text}`}>
        sealed <code>{pseudonym.slice(0, 8)}…</code>
      </span>
    );
  const shown = text.replace(ACTIVE, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return <bdi title={shown}>{shown}</bdi>;
}
