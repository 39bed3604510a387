// What has to be undone however the process ends: done, failed or interrupted.

const undos = new Set();

/** Calls `undo` when the process ends, unless the answered function is called before. */
export function atExit(undo) {
  undos.add(undo);
  return () => undos.delete(undo);
}

process.once("exit", () => {
  // The last first: a process is to be gone before the folder it runs in.
  for (const undo of [...undos].reverse()) undo();
});
process.once("SIGINT", () => process.exit(130));
process.once("SIGTERM", () => process.exit(143));
