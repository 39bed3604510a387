// `/live` beside work of 20 ms on the event loop or in a thread.

import { Axon, Framework, workerModule, workerTransition } from "../../dist/index.js";
import { spin } from "../subjects/offloaded.mjs";
import { host, port, ready } from "./arguments.mjs";

const WORK_MS = 20;
const module = workerModule(new URL("../subjects/offloaded.mjs", import.meta.url));
const work = () => Axon.start("work").thenFn("ms", () => WORK_MS);

await Framework.http()
  .get(
    "/live",
    Axon.start("live").thenFn("live", () => "ok"),
  )
  .get("/inline", work().thenFn("spin", spin).thenFn("shown", String))
  .get(
    "/offloaded",
    work()
      .offload(workerTransition({ name: "spin", module, export: "spin" }))
      .thenFn("shown", String),
  )
  .bind(`${host}:${port}`)
  .run();
ready();
