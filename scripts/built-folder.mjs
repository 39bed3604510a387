// Folders of built files that programs and tests use from source: built when they are
// missing or older than their sources.

import { mkdirSync, renameSync, rmdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Longer than a build takes: an older lock belongs to a dead process. */
const LOCK_MS = 120_000;

/**
 * Resolves to `folder`, built from the sources as they are now. `build` writes a folder that it
 * is given; of many processes one builds, and the others wait.
 */
export async function builtFolder({ folder, sources, build }) {
  const isFresh = () => {
    const built = modifiedAt(folder);
    return built !== undefined && sources.every((file) => (modifiedAt(file) ?? 0) <= built);
  };
  if (isFresh()) return folder;
  const lock = `${folder}.lock`;
  mkdirSync(dirname(lock), { recursive: true });
  while (!take(lock)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (isFresh()) return folder;
  }
  const next = `${folder}.${process.pid}`;
  try {
    if (isFresh()) return folder;
    await build(next);
    rmSync(folder, { recursive: true, force: true });
    renameSync(next, folder);
  } finally {
    rmSync(next, { recursive: true, force: true });
    rmdirSync(lock);
  }
  return folder;
}

function take(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    if (Date.now() - (modifiedAt(lock) ?? 0) > LOCK_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

const modifiedAt = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;
