// `framework dev`: runs the program and restarts it after each save.

import { statSync } from "node:fs";
import { relative, resolve } from "node:path";

import { isTypeScript, TYPESCRIPT, tsxOf } from "../application/application.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { DevProgram } from "./dev-program.js";
import { SavedFiles } from "./saved-files.js";

/** npm forwards a signal that the terminal has sent here too: both count as one Ctrl+C. */
const SAME_KEY_MS = 200;

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

const DONE = "with exit code 0";

/** Maximum number of files named in one line. */
const MAX_NAMED = 3;

export async function dev(given: Given, { err }: Surroundings): Promise<number> {
  const [file, ...args] = given.operands;
  if (file === undefined)
    throw new UsageError("the file is missing: framework dev src/main.ts; --help tells more");
  const options = optionsFor(file);
  const saved = new SavedFiles();
  for (const path of ["framework.toml", file]) saved.add(resolve(path));

  let start = { at: performance.now(), cause: "", listens: false };
  const say = (text: string): void => err(`framework dev: ${start.cause}${text}\n`);
  const started = (): DevProgram =>
    new DevProgram(options, [file, ...args], {
      loaded: (path) => {
        if (!path.includes("/node_modules/")) saved.add(path);
      },
      listening: (url) => {
        start.listens = true;
        say(`${url} listens after ${Math.round(performance.now() - start.at)} ms`);
      },
      ended: (how) => {
        saved.countsAll = true;
        const isNoServer = how === DONE && !start.listens;
        const hint = isNoServer ? " without a server. Does it call run()? The" : "; the";
        say(`${file} ended ${how}${hint} next save starts it again`);
      },
    });

  let program = started();
  const interrupted = onInterrupt(() => program.kill());
  const isSaved = (): Promise<boolean> =>
    Promise.race([interrupted.then(() => false), saved.next().then(() => true)]);
  program.begin();
  while (await isSaved()) {
    const at = performance.now();
    const next = started();
    const [files] = await Promise.all([saved.take(), program.stop()]);
    start = { at, cause: `${named(files)} changed: `, listens: false };
    saved.countsAll = false;
    program = next;
    program.begin();
  }
  await program.end();
  saved.close();
  return 0;
}

/** Resolves at the first signal. A second Ctrl+C, and the end of this process, call `kill`. */
function onInterrupt(kill: () => void): Promise<void> {
  process.on("exit", kill);
  return new Promise((resolve) => {
    let first: number | undefined;
    const interrupt = (): void => {
      const now = performance.now();
      first ??= now;
      resolve();
      if (now - first > SAME_KEY_MS) kill();
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
  });
}

/** Options of Node.js. Throws if the file does not exist, or if no loader can read it. */
function optionsFor(file: string): readonly string[] {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`there is no file ${file}`);
  if (found.isDirectory())
    throw new UsageError(`${file} is a folder: name the file that calls run(), such as src/main.ts`);
  if (!isTypeScript(file)) return [];
  const tsx = tsxOf(resolve(file), ".");
  if (tsx !== undefined) return ["--import", tsx];
  const { typescript } = process.features as { readonly typescript?: string | false };
  if (!typescript) throw new CommandError(`${file} cannot be loaded${TYPESCRIPT}`);
  return [];
}

function named(files: readonly string[]): string {
  const names = files.slice(0, MAX_NAMED).map((file) => relative("", file));
  const more = files.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
