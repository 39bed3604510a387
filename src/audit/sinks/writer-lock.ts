// The lock file of a file sink: one process writes it. It names the boot, the process and its start.
// The lock of an ended process is taken over, that of a running one never.

import { randomUUID } from "node:crypto";
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { FrameworkError } from "#core/errors.js";

interface Holder {
  readonly boot: string;
  /** The pids of another namespace are meaningless here. */
  readonly namespace: string;
  readonly pid: number;
  /** In ticks since the boot: pids are reused. */
  readonly start: string;
}

export class WriterLock {
  readonly #file: string;
  readonly #inode: number;

  private constructor(file: string) {
    this.#file = file;
    this.#inode = statSync(file).ino;
  }

  /** Throws AUDIT_LOCKED if another writer runs. */
  static take(folder: string): WriterLock {
    const file = join(folder, "writer.lock");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const own = join(folder, `writer.${randomUUID()}`);
    writeFileSync(own, JSON.stringify(holderOf(process.pid)), { mode: 0o600 });
    try {
      // Retries if the holder has ended, and if another process was faster.
      for (let attempt = 0; attempt < 3; attempt += 1) {
        if (isLinked(own, file)) return new WriterLock(file);
        removeStale(file);
      }
      throw locked(file, "another writer takes it");
    } finally {
      rmSync(own, { force: true });
    }
  }

  /** Throws AUDIT_LOCKED if the file is no longer this lock's. */
  require(): void {
    let inode: number | undefined;
    try {
      inode = statSync(this.#file).ino;
    } catch {
      // It was deleted.
    }
    if (inode !== this.#inode) throw locked(this.#file, "it was deleted or taken while this process wrote");
  }

  release(): void {
    try {
      this.require();
      rmSync(this.#file);
    } catch {
      // It belongs to another process.
    }
  }
}

function isLinked(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Moves it away first: if another process has replaced a stale lock meanwhile, its lock is restored. */
function removeStale(file: string): void {
  const found = textOf(file);
  if (found === undefined) return;
  requireEnded(file, found);
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (textOf(aside) !== found) isLinked(aside, file);
  rmSync(aside, { force: true });
}

function requireEnded(file: string, text: string): void {
  let holder: Holder;
  try {
    holder = JSON.parse(text) as Holder;
  } catch {
    throw locked(file, "its text is not that of a lock");
  }
  const { boot, namespace, pid, start } = holder;
  const own = holderOf(process.pid);
  if (boot !== own.boot) return;
  if (namespace !== own.namespace) throw locked(file, `the writer is process ${pid} of another container`);
  if (isRunning(pid) && holderOf(pid).start === start) throw locked(file, `the writer is process ${pid}`);
}

const locked = (file: string, what: string): FrameworkError =>
  new FrameworkError(
    "AUDIT_LOCKED",
    `${file}: ${what}: a file sink has one writer; delete the lock only if you know that this one has ended`,
  );

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
};

/** Without /proc only the pid identifies the process. */
function holderOf(pid: number): Holder {
  const stat = textOf(`/proc/${pid}/stat`) ?? "";
  // Fields from 3 on follow the name of the program, which may contain spaces and brackets. The start is field 22.
  const start = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return {
    boot: (textOf("/proc/sys/kernel/random/boot_id") ?? "").trim(),
    namespace: namespaceOf(),
    pid,
    start,
  };
}

function namespaceOf(): string {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return "";
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
