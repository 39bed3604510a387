// The one place that opens files which clients ask for.
//
//   RO1. What is opened is looked at once more, by its descriptor: a regular file, and below
//        the root wherever links have led. Between the look and the reading nothing can be
//        put in its place.
//   RO2. Nothing but a regular file is opened at all, where nobody changes it meanwhile: to
//        open a FIFO, or a device, can do something. Opening never waits.
//   RO3. All that cannot be served is undefined, whatever hinders it: clients are told nothing.

import {
  close as closeFile,
  constants,
  fstat,
  open,
  readlink,
  realpath,
  realpathSync,
  type Stats,
  stat,
  statSync,
} from "node:fs";
import { join, sep } from "node:path";
import { promisify } from "node:util";

import { FrameworkError } from "#core/errors.js";

const [openFile, statOf, statOfOpen, linkOf, realOf] = [
  promisify(open),
  promisify(stat),
  promisify(fstat),
  promisify(readlink),
  promisify(realpath.native),
] as const;

const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** What says that there is nothing to be served, and not that something is out of order. */
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
  /** Where it really is. */
  readonly path: string;
  readonly #below: string;

  /** Throws FILES_MISSING where there is no such directory; `call` is who wants it. */
  constructor(call: string, directory: string) {
    this.path = realDirectory(call, directory);
    this.#below = this.path.endsWith(sep) ? this.path : this.path + sep;
  }

  /** Whether a path that holds no links is below it. */
  isAbove(real: string): boolean {
    return real.startsWith(this.#below);
  }

  /** What a servable path names, behind its links; undefined for nothing. Rejects where the file system fails. */
  async stat(path: string): Promise<Stats | undefined> {
    try {
      return await statOf(join(this.path, path));
    } catch (error) {
      return absent(error);
    }
  }

  /** Whether it is below the root, behind its links. */
  async holds(path: string): Promise<boolean> {
    try {
      const real = await realOf(join(this.path, path));
      return real === this.path || real.startsWith(this.#below);
    } catch (error) {
      return absent(error) ?? false;
    }
  }

  /** Opens the regular file that a servable path names. The caller closes it. */
  async open(path: string): Promise<OpenedFile | undefined> {
    const before = await this.stat(path);
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
      return (await linkOf(`/proc/self/fd/${fd}`)).startsWith(this.#below);
    } catch {
      // No procfs: what stands at the place, behind its links, has to be what was opened.
    }
    try {
      const real = await realOf(place);
      const there = await statOf(real);
      return real.startsWith(this.#below) && there.ino === stats.ino && there.dev === stats.dev;
    } catch (error) {
      return absent(error) ?? false;
    }
  }
}

/** Whoever closes a file that was read has nobody to tell. */
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
