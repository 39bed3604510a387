import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = new URL("../../", import.meta.url);

/** The folder of the Inspector's page, built from the source as it is: index.html and assets. */
export async function builtInspectorPage(): Promise<string> {
  const script = fileURLToPath(new URL("scripts/inspector-ui.mjs", ROOT));
  // Not where code must not be generated from strings: Vite is no part of what is tested there.
  const env = { ...process.env, NODE_OPTIONS: "" };
  await promisify(execFile)(process.execPath, [script], { env, timeout: 120_000 });
  return fileURLToPath(new URL(".build/inspector-ui", ROOT));
}
