import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { bareEnvironment, programArguments } from "../../support/run-program.js";

/** The default of 8 takes two minutes: each resumption waits twice as long for the next one. */
const MAX_RESUMPTIONS = 3;

test("a run that ends its process ends as many as maxResumptions says, and is stuck from then on", async () => {
  const folder = mkdtempSync(join(tmpdir(), "framework-aborting-"));
  const env = {
    ...{ ...bareEnvironment(), FRAMEWORK_PROFILE: "prod" },
    ...{ STORE: `sqlite:${folder}/runs.db`, MAX_RESUMPTIONS: String(MAX_RESUMPTIONS) },
  };
  const serve = async (more: NodeJS.ProcessEnv) => {
    const child = spawn(process.execPath, programArguments("native-tests/support/aborting-run-server.ts"), {
      env: { ...env, ...more },
      stdio: ["ignore", "pipe", "ignore"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (more: string) => {
      text += more;
    });
    const [code, signal] = await once(child, "close");
    return { code, signal, text };
  };
  try {
    let aborted = 0;
    let last = await serve({ BEGINS: "1" });
    for (; last.signal === "SIGABRT" && aborted < 10; aborted += 1) last = await serve({});

    assert.equal(last.code, 0);
    assert.equal(aborted, MAX_RESUMPTIONS, "the process that began it is the first one");
    assert.deepEqual(JSON.parse(/came to (.*)/.exec(last.text)?.[1] ?? ""), {
      result: { kind: "stuck", axon: "aborting" },
      letters: [
        {
          ...{ id: "run", node: "aborting/two" },
          error: { code: "RUN_STUCK", runId: "run", resumptions: MAX_RESUMPTIONS - 1 },
        },
      ],
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
