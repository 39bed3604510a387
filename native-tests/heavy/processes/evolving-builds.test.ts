// A run whose old build is killed meets its strategy in the new build, which serves the same store.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";

import { openStores, type Stores } from "framework";
import { COLUMNS, type Column } from "../../support/evolving-axons.js";
import { until } from "../../support/patience.js";
import { type PostgresServer, skipWithoutPostgres, startPostgres } from "../../support/postgres-server.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const folder = mkdtempSync(join(tmpdir(), "builds-"));
let places = 0;
let postgres: Promise<PostgresServer> | undefined;
const children: ChildProcess[] = [];
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await (await postgres)?.stop();
  rmSync(folder, { recursive: true });
});

/** Ends the hour for which it sleeps; also that of a run that has begun again. */
async function wake({ runs }: Stores): Promise<void> {
  await runs.waits?.wake("r", (await runs.glance?.("r"))?.entries ?? 0);
}

interface Build {
  /** What the build answers to the id of a run: it begins it, if it is the old one. */
  readonly ask: (runId: string) => Promise<{ readonly kind: string }>;
  readonly kill: () => Promise<void>;
}

async function build(variables: Readonly<Record<string, string>>): Promise<Build> {
  const child = spawn(process.execPath, programArguments("native-tests/support/evolving-server.ts"), {
    env: { ...bareEnvironment(), FRAMEWORK_PROFILE: "prod", ...variables },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  children.push(child);
  await once(child, "message");
  return {
    async ask(runId) {
      const answered = once(child, "message");
      child.send(runId);
      const [result] = (await answered) as [{ readonly kind: string }];
      return result;
    },
    async kill() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

const doneIn = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];

/** How the old build ends, and what the new one has done of its run. */
const FATES: Readonly<Record<Column, readonly string[]>> = {
  "same version": ["new ship", "new tell"],
  "`fail`": [],
  "`migrateActiveNode`": ["new ship", "new tell"],
  "`fallbackToNode`": ["new ship", "new tell"],
  "`resumeFromStart`": ["new reserve", "new ship", "new tell"],
  "`completeOnOldVersion`": ["old ship", "old tell"],
};

for (const [kind, skip] of [
  ["sqlite", false],
  ["postgres", skipWithoutPostgres],
] as const)
  describe(`two builds beside each other, on ${kind}`, { skip }, () => {
    for (const column of COLUMNS)
      test(`a run of the killed old one meets its strategy in the new one: ${column}`, async () => {
        places += 1;
        postgres ??= kind === "postgres" ? startPostgres() : undefined;
        const store =
          kind === "sqlite"
            ? `sqlite:${join(folder, `two-${places}.db`)}`
            : `${(await postgres)?.url}?schema=evolving_${places}`;
        const common = { STORE: store, DONE: join(folder, `done-${places}`) };
        const stores = openStores(store);
        try {
          const old = await build(common);
          const next = await build({ ...common, CHANGE: "the code of a step", COLUMN: column });
          await old.ask("r");
          await until("it sleeps", async () => (await old.ask("r")).kind === "sleeping");
          const before = doneIn(common.DONE);
          await old.kill();
          const isDecided = async (): Promise<boolean> => {
            await wake(stores);
            return ["completed", "unfit"].includes((await next.ask("r")).kind);
          };
          await until("it is decided", isDecided);
          // The other Axon has not changed: its run, which was at work, is taken over.
          await until("the held one ends", async () => (await next.ask("r-held")).kind === "completed");
          const now = doneIn(common.DONE).slice(before.length);
          assert.deepEqual(
            now.filter((step) => !step.endsWith("hold")),
            FATES[column],
          );
          assert.equal((await next.ask("r")).kind, column === "`fail`" ? "unfit" : "completed");
          if (column !== "`fail`") return;
          // Nothing is lost: a process of the old version completes it.
          const again = await build(common);
          await until("it ends", async () => doneIn(common.DONE).includes("old tell"));
          await until("its end is stored", async () => (await next.ask("r")).kind === "completed");
          await again.kill();
        } finally {
          await stores.close();
          for (const child of children.splice(0)) child.kill("SIGKILL");
        }
      });
  });
