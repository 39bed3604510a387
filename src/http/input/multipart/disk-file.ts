// An upload on disk. At the end of the run it is removed unless the step has kept it, even while it is
// being opened or written. The file is created exclusively, with a random name, for this user only.

import { randomBytes } from "node:crypto";
import { constants, rmSync } from "node:fs";
import { copyFile, type FileHandle, link, open, rm } from "node:fs/promises";
import { join } from "node:path";

import { FrameworkError } from "#core/errors.js";
import type { PartHead } from "./part-head.js";
import { type DiskFile, describeFile } from "./uploaded-file.js";

export class ArrivingOnDisk {
  readonly #head: PartHead;
  readonly #path: string;
  #handle: FileHandle | undefined;
  #pending: Buffer[] = [];
  #size = 0;
  #keptAt: string | undefined;
  #isGone = false;

  constructor(head: PartHead, directory: string) {
    this.#head = head;
    this.#path = join(directory, `framework-upload-${randomBytes(16).toString("hex")}`);
  }

  add(bytes: Buffer): void {
    this.#size += bytes.length;
    this.#pending.push(bytes);
  }

  /** Writes the added pieces, and closes the file if it is `whole`. Rejects with file-system errors. */
  async stored(whole: boolean): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    try {
      this.#handle ??= await open(this.#path, "wx", 0o600);
      for (const bytes of pending) if (!this.#isGone) await this.#handle.writeFile(bytes);
      if (whole) await this.#close();
    } catch (error) {
      // After the removal errors are ignored.
      if (!this.#isGone) throw error;
    }
    if (this.#isGone) await this.#remove();
  }

  file(): DiskFile {
    const path = (): string => this.#keptAt ?? this.#path;
    return {
      ...describeFile(this.#head),
      size: this.#size,
      get path() {
        return path();
      },
      keep: (to) => this.#keep(to),
    };
  }

  /** Called at the end of the run. */
  discard(): void {
    if (this.#isGone || this.#keptAt !== undefined) return;
    this.#isGone = true;
    this.#pending = [];
    void this.#close().catch(() => {});
    rmSync(this.#path, { force: true });
  }

  async #keep(to: string): Promise<void> {
    if (this.#keptAt !== undefined) {
      throw new FrameworkError("UPLOAD_RELEASED", `The upload is kept already, at ${this.#keptAt}`);
    }
    try {
      await moveTo(this.#path, to);
    } catch (error) {
      if (!this.#isGone) throw error;
      throw new FrameworkError(
        "UPLOAD_RELEASED",
        "The upload was removed when its run ended: await keep() in the step that has the file",
      );
    }
    this.#keptAt = to;
    await rm(this.#path, { force: true });
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }

  async #remove(): Promise<void> {
    await this.#close().catch(() => {});
    await rm(this.#path, { force: true });
  }
}

// A rename would replace an existing file.
async function moveTo(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another file system, or one without hard links.
    if (code !== "EXDEV" && code !== "EPERM" && code !== "ENOTSUP") throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}
