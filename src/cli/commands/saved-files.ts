import { EventEmitter, once } from "node:events";
import { existsSync, type FSWatcher, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { CommandError } from "../terminal/command.js";

/** An editor writes a file in several steps, a checkout writes several files. */
const QUIET_MS = 25;

const MODULE = /^[^.].*\.(?:[cm]?[jt]sx?|json)$/;

/**
 * Reports saves of the added files. It watches their folders: an editor that renames a new file into
 * place would end the watch of a file.
 */
export class SavedFiles {
  /** True if every module in the watched folders counts: a missing module was never loaded. */
  countsAll = false;
  readonly #files = new Set<string>();
  readonly #folders = new Map<string, FSWatcher>();
  readonly #saved = new Set<string>();
  readonly #events = new EventEmitter();
  #writes = 0;

  add(file: string): void {
    this.#files.add(file);
    const folder = dirname(file);
    if (this.#folders.has(folder) || !existsSync(folder)) return;
    try {
      this.#folders.set(
        folder,
        watch(folder, (_, name) => this.#changed(folder, name ?? "")),
      );
    } catch (cause) {
      const remedy = "raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl";
      this.#events.emit("error", new CommandError(`${folder} cannot be watched: ${remedy}`, { cause }));
    }
  }

  /** Resolves as soon as a file is saved. */
  async next(): Promise<void> {
    if (this.#saved.size === 0) await once(this.#events, "saved");
  }

  /** The saved files, when writing has paused. */
  async take(): Promise<readonly string[]> {
    let writes: number;
    do {
      writes = this.#writes;
      await pause(QUIET_MS);
    } while (writes !== this.#writes);
    const saved = [...this.#saved].sort();
    this.#saved.clear();
    return saved;
  }

  close(): void {
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #changed(folder: string, name: string): void {
    const file = join(folder, name);
    if (name === basename(folder) && !existsSync(folder)) this.#lost(folder);
    if (!this.#files.has(file) && !(this.countsAll && MODULE.test(name))) return;
    this.#writes += 1;
    this.#saved.add(file);
    this.#events.emit("saved");
  }

  /** The folder was replaced: the new one is watched when a file in it is loaded. */
  #lost(folder: string): void {
    this.#folders.get(folder)?.close();
    this.#folders.delete(folder);
  }
}
