import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { folderWith } from "./config-folder.js";
import { fromRoot, isCompiled, moduleRoot } from "./root.js";
import { bareEnvironment, programArguments } from "./run-program.js";

/** `framework dev` in a folder of its own, where the package and tsx are installed. */
export interface DevProcess {
  readonly folder: string;
  /** What it and its programs have written. */
  readonly written: () => string;
  /** Resolves to the match as soon as the text behind the last one that was awaited has it. */
  readonly until: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** As editors do: a new file is renamed into place. */
  readonly save: (file: string, text: string) => void;
  readonly signal: (signal: NodeJS.Signals) => void;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
  /** Ends it, and what it has started. */
  readonly end: () => Promise<number | null>;
}

function projectFolder(files: Readonly<Record<string, string>>): string {
  const folder = folderWith({ "package.json": '{ "type": "module" }', ...files });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(moduleRoot, join(folder, "node_modules", "framework"));
  symlinkSync(fromRoot("node_modules/tsx"), join(folder, "node_modules", "tsx"));
  return folder;
}

export function startDev(
  files: Readonly<Record<string, string>>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): DevProcess {
  const folder = projectFolder(files);
  const condition = isCompiled ? {} : { NODE_OPTIONS: "--conditions=framework-source" };
  const child = spawn(process.execPath, programArguments("src/cli/main.ts", "dev", ...args), {
    cwd: folder,
    env: { ...bareEnvironment(), NODE_TEST_CONTEXT: undefined, ...condition, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = (): void => void child.kill("SIGKILL");
  process.on("exit", kill);
  const ended = once(child, "close").then(([code]) => {
    process.off("exit", kill);
    return code as number | null;
  });
  let written = "";
  let from = 0;
  let check = (): void => {};
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      written += text;
      check();
    });
  const until = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      check = () => {
        const found = pattern.exec(written.slice(from));
        if (found === null) return;
        from += found.index + found[0].length;
        check = () => {};
        resolve(found);
      };
      check();
      void ended.then((code) => reject(new Error(`It ended with ${code}, without ${pattern}:\n${written}`)));
    });
  return {
    folder,
    written: () => written,
    until,
    save(file, text) {
      writeFileSync(join(folder, `${file}~`), text);
      renameSync(join(folder, `${file}~`), join(folder, file));
    },
    signal: (signal) => void child.kill(signal),
    ended,
    end: () => {
      child.kill("SIGTERM");
      return ended;
    },
  };
}
