import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { fromRoot } from "./root.js";

/** The folder of the Inspector's page, built from the source as it is: index.html and assets. */
export async function builtInspectorPage(): Promise<string> {
  const script = fromRoot("scripts/inspector-ui.mjs");
  // Not where code must not be generated from strings: Vite is no part of what is tested there.
  const env = { ...process.env, NODE_OPTIONS: "" };
  await promisify(execFile)(process.execPath, [script], { env, timeout: 120_000 });
  return fromRoot(".build/inspector-ui");
}
