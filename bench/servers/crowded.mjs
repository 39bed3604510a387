// This framework with a crowd: `node crowded.mjs PORT waiting COUNT` has that many runs
// that wait, `node crowded.mjs PORT idle COUNT` that many clients that hardly ask.

import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

import { Axon, Framework } from "../../dist/index.js";
import { plaintext } from "../subjects/greeting.mjs";
import { host, port, ready } from "./arguments.mjs";

const [kind, count] = process.argv.slice(3);

await Framework.http({ maxConnections: 30_000, maxInFlight: 30_000, routeTimeoutMs: 3_600_000 })
  .get(
    "/",
    Axon.start("hello").thenFn("greet", () => plaintext),
  )
  .get(
    "/wait",
    Axon.start("wait").thenFn("wait", () => new Promise(() => {})),
  )
  .bind(`${host}:${port}`)
  .run();

// On the generator's core, and gone with this process: its input ends.
const crowd = spawn(
  "taskset",
  [
    "-c",
    "1",
    process.execPath,
    fileURLToPath(new URL("crowd.mjs", import.meta.url)),
    String(port),
    kind,
    count,
  ],
  { stdio: ["pipe", "pipe", "inherit"] },
);
crowd.stdout.once("data", ready);
