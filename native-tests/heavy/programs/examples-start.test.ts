// Every example starts as the first line of its main.ts says, where the documented variables say, and ends with 0.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, test } from "node:test";

import { certificateFolder, localCertificate } from "../../support/certificate-folder.js";
import { folderWith } from "../../support/config-folder.js";
import { freePort } from "../../support/free-port.js";
import { pause, until } from "../../support/patience.js";
import { fromRoot } from "../../support/root.js";
import { bareEnvironment, programArguments } from "../../support/run-program.js";

const examples = readdirSync(fromRoot("examples"))
  // A client of another program (native-tests/docs/feed-client.test.ts).
  .filter((name) => name !== "feed")
  .map((name) => `examples/${name}/main.ts`)
  .filter((file) => existsSync(fromRoot(file)));

/** They end by themselves. */
const JOBS = ["audit", "clinic", "thumbnails"].map((name) => `examples/${name}/main.ts`);
const NEEDS_CERTIFICATE = "examples/tls/main.ts";

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

interface Ended {
  readonly hasListened: boolean;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts it, and sends SIGTERM once it listens. */
async function started(file: string, variables: Readonly<Record<string, string>>): Promise<Ended> {
  const port = await freePort();
  const child = spawn(process.execPath, programArguments(file), {
    cwd: folderWith({}),
    env: {
      ...bareEnvironment(),
      // Set by node --test, it would be another profile.
      NODE_TEST_CONTEXT: undefined,
      FRAMEWORK_SERVER_PORT: String(port),
      FRAMEWORK_INSPECTOR_PORT: "0",
      ...variables,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      written[name] += text;
    });
  const closed = once(child, "close") as Promise<[number | null]>;
  let hasListened = false;
  try {
    await until(`${file} listens or ends`, async () => {
      hasListened = await isOpen(port);
      return hasListened || child.exitCode !== null;
    });
    // By then its handlers of signals stand.
    if (hasListened) await until("it prints its address", () => written.stdout.includes(`${port}`));
    if (hasListened) child.kill("SIGTERM");
    const [code] = await closed;
    return { hasListened, code, ...written };
  } finally {
    child.kill("SIGKILL");
    await pause(0);
  }
}

const withoutStack = ({ stdout, stderr }: Ended): void => assert.doesNotMatch(stdout + stderr, /^\s+at /m);

describe("an example", () => {
  test("says in its first line how it starts", () => {
    assert.ok(examples.length >= 19);
    for (const file of examples) {
      const [line] = readFileSync(fromRoot(file), "utf8").split("\n");
      assert.equal(line, `// FRAMEWORK_PROFILE=dev npx tsx node_modules/framework/${file}`);
    }
  });

  for (const file of examples.filter((name) => ![...JOBS, NEEDS_CERTIFICATE].includes(name)))
    for (const profile of ["dev", "none"])
      test(`listens on the port of the variable and ends with 0: ${file}, profile ${profile}`, async () => {
        const ended = await started(file, profile === "none" ? {} : { FRAMEWORK_PROFILE: profile });

        assert.deepEqual([ended.hasListened, ended.code], [true, 0], ended.stdout + ended.stderr);
        withoutStack(ended);
      });

  for (const file of JOBS)
    test(`ends by itself with 0: ${file}`, async () => {
      const child = spawn(process.execPath, programArguments(file), {
        cwd: folderWith({}),
        env: { ...bareEnvironment(), FRAMEWORK_PROFILE: "dev", FRAMEWORK_SERVER_PORT: "0" },
        stdio: "ignore",
      });

      assert.deepEqual(await once(child, "close"), [0, null]);
    });

  test("says which certificate is missing, and starts with one", async () => {
    const missing = await started(NEEDS_CERTIFICATE, { FRAMEWORK_PROFILE: "dev" });
    assert.deepEqual([missing.hasListened, missing.code], [false, 1]);
    assert.match(missing.stderr, /^There is no certificate .*: CERT and KEY name others$/m);
    withoutStack(missing);

    const { cert, key } = certificateFolder().pair(localCertificate().own);
    const files = { CERT: cert, KEY: key };
    const ended = await started(NEEDS_CERTIFICATE, { FRAMEWORK_PROFILE: "dev", ...files });
    assert.deepEqual([ended.hasListened, ended.code], [true, 0], ended.stdout + ended.stderr);
  });
});
