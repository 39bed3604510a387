import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { fromRoot } from "./root.js";

/** The folder of the Inspector's page, built from the source as it is: index.html and assets. */
export const builtInspectorPage = (): Promise<string> => built("inspector-ui", ".build/inspector-ui");

/** The folder of the page of docs(), built from the source as it is. */
export const builtDocsPage = (): Promise<string> => built("docs-page", ".build/openapi-docs");

async function built(script: string, folder: string): Promise<string> {
  // Not where code must not be generated from strings: what builds is no part of what is tested there.
  const env = { ...process.env, NODE_OPTIONS: "" };
  await promisify(execFile)(process.execPath, [fromRoot(`scripts/${script}.mjs`)], { env, timeout: 120_000 });
  return fromRoot(folder);
}
