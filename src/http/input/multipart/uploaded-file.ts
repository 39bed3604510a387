import { ByteCollector } from "../../exchange/byte-collector.js";
import type { PartHead } from "./part-head.js";

export interface UploadedFile {
  /** The field's name. */
  readonly name: string;
  /** Safe for a directory: no path, no dots at its ends, at most 255 bytes; "unnamed" where nothing is left. */
  readonly filename: string;
  /** The media type that the client claims, in lower case without parameters; not verified. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** As sent: never use it in a path, and escape it where it is shown. */
  readonly sent: { readonly filename: string; readonly type: string };
}

export interface MemoryFile extends UploadedFile {
  readonly bytes: Uint8Array;
}

/** Removed when the run ends, unless it was kept. */
export interface DiskFile extends UploadedFile {
  /** Under a random name, readable for this user alone. */
  readonly path: string;
  /** Moves it to `path`. Rejects where something exists there, and with UPLOAD_RELEASED after the run. */
  keep(path: string): Promise<void>;
}

/** A multipart body. */
export interface Multipart<Fields, File extends UploadedFile> {
  readonly fields: Fields;
  /** In the order of the body. */
  readonly files: readonly File[];
}

/** The limit of file systems. */
const MAX_BYTES = 255;

// Separators, and characters with a meaning for file systems and shells.
const UNFIT = /[<>:"|?*]/g;
// Control and format characters, and halves of a surrogate pair.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ENDS = /^[.\s]+|[.\s]+$/g;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Without a path or dots at its ends, never empty or a device of Windows, at most 255 bytes. */
export function safeFileName(sent: string): string {
  const base = sent.normalize("NFC").replace(UNSEEN, "").split(/[/\\]/).at(-1) ?? "";
  const name = base.replace(UNFIT, "_").replace(ENDS, "");
  if (name === "") return "unnamed";
  return shortened(DEVICE.test(name) ? `_${name}` : name);
}

/** Keeps a short extension. */
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

export const describeFile = ({
  name,
  filename = "",
  type,
  sentType,
}: PartHead): Omit<UploadedFile, "size"> => ({
  name,
  filename: safeFileName(filename),
  type: type ?? "application/octet-stream",
  sent: { filename, type: sentType },
});

export class ArrivingInMemory {
  readonly #head: PartHead;
  readonly #collected = new ByteCollector(0);

  constructor(head: PartHead) {
    this.#head = head;
  }

  add(bytes: Buffer): void {
    this.#collected.add(bytes);
  }

  file(): MemoryFile {
    const bytes = new Uint8Array(this.#collected.bytes());
    return { ...describeFile(this.#head), size: bytes.length, bytes };
  }
}
