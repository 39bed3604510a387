/** What file systems take at most. */
const MAX_BYTES = 255;

// Separators, and what some file system or shell gives a meaning.
const UNFIT = /[<>:"|?*]/g;
// Control and format characters (which may hide or turn the text around them), and
// halves of a pair.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ENDS = /^[.\s]+|[.\s]+$/g;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * A name that a client sent, as it may stand in a directory: without a path, without
 * dots at its ends, never empty, never a device of Windows, at most 255 bytes.
 */
export function safeFileName(sent: string): string {
  const base = sent.normalize("NFC").replace(UNSEEN, "").split(/[/\\]/).at(-1) ?? "";
  const name = base.replace(UNFIT, "_").replace(ENDS, "");
  if (name === "") return "unnamed";
  return shortened(DEVICE.test(name) ? `_${name}` : name);
}

/** Keeps the extension, where it is a short one. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name;
  const [, stem = name, extension = ""] = /^(.*?)(\.[^.]{1,20})?$/s.exec(name) ?? [];
  const room = MAX_BYTES - Buffer.byteLength(extension);
  let kept = "";
  let length = 0;
  for (const character of stem) {
    length += Buffer.byteLength(character);
    if (length > room) break;
    kept += character;
  }
  return `${kept.replace(ENDS, "")}${extension}`;
}
