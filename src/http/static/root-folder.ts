// Opens files by request paths; no other code does. An opened file is checked by its descriptor: it
// must be regular, and below the root after links were followed, so it cannot be replaced before the
// read. Only regular files are opened, without blocking, because opening a FIFO or a device may have
// effects. A file that cannot be served is undefined, without a reason for the client.

import { close as closeFile, constants, fstat, open, realpathSync, type Stats, statSync } from "node:fs";
import { readlink, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { promisify } from "node:util";

import { FrameworkError } from "#core/errors.js";

const openFile = promisify(open);
const statOfOpen = promisify(fstat);

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Errors that mean that no file exists to serve. */
const ABSENT: ReadonlySet<string> = new Set([
  "EACCES",
  "EINVAL",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ENODEV",
  "ENOENT",
  "ENOTDIR",
  "ENXIO",
  "EPERM",
]);

export interface OpenedFile {
  readonly fd: number;
  readonly stats: Stats;
}

export class RootFolder {
  /** The real path. */
  readonly path: string;
  readonly #below: string;

  /** `call` is for messages. Throws FILES_MISSING. */
  constructor(call: string, directory: string) {
    this.path = realDirectory(call, directory);
    this.#below = this.path.endsWith(sep) ? this.path : this.path + sep;
  }

  /** True if a path without links is below the root. */
  isAbove(real: string): boolean {
    return real.startsWith(this.#below);
  }

  /** Follows links. Resolves to undefined if no file exists. Rejects if the file system fails. */
  async stat(path: string): Promise<Stats | undefined> {
    try {
      return await stat(join(this.path, path));
    } catch (error) {
      return absent(error);
    }
  }

  /** Opens a file, which the caller must close. */
  async open(path: string): Promise<OpenedFile | undefined> {
    const before = await this.stat(path);
    // hole: a pipe or a device would be opened
    if (before === undefined || !before.isFile()) return undefined;
    const place = join(this.path, path);
    let fd: number;
    try {
      fd = await openFile(place, FLAGS);
    } catch (error) {
      return absent(error);
    }
    try {
      const stats = await statOfOpen(fd);
      if (stats.isFile() && (await this.#isBelow(fd, stats, place))) return { fd, stats };
    } catch (error) {
      closeQuietly(fd);
      throw error;
    }
    closeQuietly(fd);
    return undefined;
  }

  async #isBelow(fd: number, stats: Stats, place: string): Promise<boolean> {
    try {
      // hole: a link could lead out of the folder
      return (await readlink(`/proc/self/fd/${fd}`)).startsWith(this.#below);
    } catch {
      // Without procfs, the file at the path (links followed) must be the opened one.
    }
    try {
      const real = await realpath(place);
      const there = await stat(real);
      return real.startsWith(this.#below) && there.ino === stats.ino && there.dev === stats.dev;
    } catch (error) {
      return absent(error) ?? false;
    }
  }
}

export function closeQuietly(fd: number): void {
  closeFile(fd, () => {});
}

function absent(error: unknown): undefined {
  if (ABSENT.has((error as NodeJS.ErrnoException).code ?? "")) return undefined;
  throw error;
}

function realDirectory(call: string, directory: string): string {
  try {
    const real = realpathSync.native(directory);
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    throw missing(call, directory, "cannot be looked up", cause);
  }
  throw missing(call, directory, "is no directory", undefined);
}

const missing = (call: string, directory: string, why: string, cause: unknown): FrameworkError =>
  new FrameworkError(
    "FILES_MISSING",
    `${call}: '${directory}' ${why}: name a directory that is there, as seen from ${process.cwd()}, or build it first`,
    { cause },
  );
