import { Collected } from "../collected.js";
import { safeFileName } from "./file-name.js";
import type { PartHead } from "./part-head.js";
import type { MemoryFile, UploadedFile } from "./uploaded-file.js";

/** What a file's part says of it. */
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

/** A file on its way into memory. */
export class ArrivingInMemory {
  readonly #head: PartHead;
  readonly #collected = new Collected(0);

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
