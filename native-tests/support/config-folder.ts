import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { FrameworkConfig, type LoadOptions } from "#config/config.js";
import { ConfigError } from "#config/mistake.js";

const made: string[] = [];
process.on("exit", () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

/** A folder with these files, gone when the process ends. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "framework-config-"));
  made.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

const empty = folderWith();

/** Loads a framework.toml of this text, or none, with nothing from this process. */
export function loaded(
  toml?: string,
  env: LoadOptions["env"] = {},
  options: LoadOptions = {},
): FrameworkConfig {
  const cwd = toml === undefined ? empty : folderWith({ "framework.toml": toml });
  return FrameworkConfig.load({ cwd, env, terminal: false, ...options });
}

/** The lines of the report, without its first. */
export function reported(load: () => unknown): readonly string[] {
  const error = mistaken(load);
  return error.message
    .split("\n")
    .slice(1)
    .map((line) => line.trim());
}

export function mistaken(load: () => unknown): ConfigError {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("The configuration was taken as right");
}
