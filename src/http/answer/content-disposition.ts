// RFC 6266, with the name of RFC 8187 for what a quoted string cannot hold in every client.

/** Controls and marks that turn the direction of text hide what a name ends with. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu;
const SEPARATOR = /[/\\]/g;
/** Some clients decode a `%` in a quoted string, and escapes of `"` differ. */
const UNFIT = /[^ -~]|["%]/gu;
const EXTENDED_UNFIT = /['()*]/g;

/**
 * The value of a `content-disposition` header: `headers: { "content-disposition": contentDisposition(file.name) }`.
 * The name may be any text, also one of a client: controls are left out, `/` and `\` become `_`.
 */
export function contentDisposition(name: string, kind: "attachment" | "inline" = "attachment"): string {
  // By way of bytes, as half of a surrogate pair cannot be encoded.
  const shown = Buffer.from(name).toString().replace(UNSEEN, "").replace(SEPARATOR, "_");
  if (shown === "") return kind;
  const plain = shown.replace(UNFIT, "_");
  const quoted = `${kind}; filename="${plain}"`;
  return plain === shown ? quoted : `${quoted}; filename*=UTF-8''${extended(shown)}`;
}

const extended = (text: string): string =>
  encodeURIComponent(text).replace(
    EXTENDED_UNFIT,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
