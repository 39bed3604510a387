import { Worker } from "node:worker_threads";

/**
 * Starts a thread from a module of this package. Compiled it runs as it is; from TypeScript,
 * in development, it registers tsx first: `--import tsx` has no effect in threads of Node.js 20.
 */
export function startThread(specifier: string, workerData: unknown): Worker {
  const entry = import.meta.resolve(specifier);
  if (!entry.endsWith(".ts")) return new Worker(new URL(entry), { workerData, execArgv: [] });
  const source = `import("tsx/esm/api").then(({ register }) => { register(); return import(${JSON.stringify(entry)}); })`;
  return new Worker(source, { eval: true, workerData, execArgv: [] });
}

/** See SilentBeats. */
export const newSigns = (): Int32Array => new Int32Array(new SharedArrayBuffer(4));
