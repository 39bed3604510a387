import { randomUUID } from "node:crypto";
import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Replaces a file as a whole: a reader sees the old text or the new one. Its mode stays. */
export function writeWhole(path: string, text: string): void {
  const { mode } = statSync(path);
  const temporary = join(dirname(path), `.migrate-${randomUUID()}`);
  try {
    writeFileSync(temporary, text, { flag: "wx", mode });
    // The umask takes from the mode of a new file.
    chmodSync(temporary, mode);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
