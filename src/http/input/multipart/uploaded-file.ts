import { ByteCollector } from "../../exchange/byte-collector.js";
import type { PartHead } from "./part-head.js";

export interface UploadedFile {
  /** The field's name. */
  readonly name: string;
  /** A safe file name: no path, no dots at its ends, at most 255 bytes; "unnamed" if nothing remains. */
  readonly filename: string;
  /** The media type that the client claims, in lower case without parameters; not verified. */
  readonly type: string;
  /** Size in bytes. */
  readonly size: number;
  /** The values as the client sent them. Never use them in a path, and escape them in output. */
  readonly sent: { readonly filename: string; readonly type: string };
}

export interface MemoryFile extends UploadedFile {
  readonly bytes: Uint8Array;
}

/** A file that is removed when the run ends, unless `keep` was called. */
export interface DiskFile extends UploadedFile {
  /** Path with a random name, readable for this user only. */
  readonly path: string;
  /** Moves the file to `path`. Rejects if `path` exists, and with UPLOAD_RELEASED after the run. */
  keep(path: string): Promise<void>;
}

type FilesAsNamed = Readonly<Record<string, UploadedFile | readonly UploadedFile[] | undefined>>;

/** A multipart body: `Multipart<Fields, MemoryFile>`, or `Multipart<Fields, { picture: MemoryFile }>`. */
export interface Multipart<Fields, Files extends UploadedFile | FilesAsNamed> {
  readonly fields: Fields;
  /** By name, or a list in the order of the body. */
  readonly files: [Files] extends [UploadedFile] ? readonly Files[] : Files;
}

/** The limit of file systems. */
const MAX_BYTES = 255;

// Separators, and characters with a meaning for file systems and shells.
const UNFIT = /[<>:"|?*]/g;
// Control and format characters, and halves of a surrogate pair.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const ENDS = /^[.\s]+|[.\s]+$/g;
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** Makes a file name safe: no path or dots at its ends, not empty, no Windows device, at most 255 bytes. */
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
