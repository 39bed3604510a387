// A server with TLS in a process of its own, alone or with workers.

import { Axon, Framework, FrameworkError } from "framework";

const { CERT = "", KEY = "", NAMED_CERT, NAMED_KEY, WORKERS = "1" } = process.env;
const names =
  NAMED_CERT === undefined || NAMED_KEY === undefined
    ? {}
    : { "b.example": { cert: NAMED_CERT, key: NAMED_KEY } };

try {
  const server = await Framework.http()
    .bind("127.0.0.1:0")
    .workers(Number(WORKERS))
    .drainIdle(0)
    .tls(CERT, KEY, { names, checkEveryMs: 50 })
    .get(
      "/",
      Axon.start("hello").thenFn("greet", () => "hello"),
    )
    .run();
  if (server.role !== "worker") console.log(`listening ${server.address}`);
} catch (error) {
  if (!(error instanceof FrameworkError)) throw error;
  console.error(`${error.code}: ${error.message}`);
  process.exitCode = 1;
}
