// Locks, kept runs, streams, WebSockets and files.

import { Axon, ExecutionMode, header, MemoryLocks, MemoryRuns, param, RunId } from "framework";
import { ingress, note, nothing, OF_BODY, OK, ORDER, Order, posted, row } from "./rows.js";

const locks = new MemoryLocks();
row(
  "GET /lock",
  nothing("lock").withExecutionMode(ExecutionMode.singleton("matrix", 60_000, locks)),
  {},
  {},
  {
    200: OK,
    409: async (send) => {
      const lease = locks.acquire("matrix", 60_000);
      const seen = await send();
      if (lease !== undefined) await locks.release(lease);
      return seen;
    },
  },
);
const runs = new MemoryRuns();
/** A run that waits to be cancelled, and what lets it go on. */
const begun: { readonly id: string; readonly goOn: () => void }[] = [];
/** Set by the test, once a server runs. */
export const cancelling: { cancel?: (runId: string, reason: string) => Promise<unknown> } = {};
const kept = Axon.start<void>("kept")
  .withPersistenceStore(runs)
  .thenFn(
    "wait",
    async (_, bus) => {
      if (bus.get(param("kind")) === "1") return { said: "kept" };
      await new Promise<void>((goOn) => begun.push({ id: bus.get(RunId), goOn }));
      return { said: "late" };
    },
    { reads: [param("kind"), RunId] },
  )
  .thenFn("say", (said) => said);
const waiting = async () => {
  for (;;) {
    const run = begun.pop();
    if (run !== undefined) return run;
    await new Promise((resolve) => setImmediate(resolve));
  }
};
row(
  "POST /kept/:kind",
  kept,
  {},
  {},
  {
    200: OK,
    202: async (send) => {
      const seen = send({ path: "/kept/wait" });
      const { id, goOn } = await waiting();
      // Another process takes the run.
      const [first] = runs.read(id);
      runs.append(id, 1, [{ ...first, kind: "resumed", at: 2, version: "1.0.0" } as never], "other");
      goOn();
      return seen;
    },
    409: async (send) => {
      const seen = send({ path: "/kept/wait" });
      const { id, goOn } = await waiting();
      const cancelled = cancelling.cancel?.(id, "planted");
      // Its request to end is on record by then.
      await new Promise((resolve) => setImmediate(resolve));
      goOn();
      await cancelled;
      return seen;
    },
    504: { headers: { "x-plant": "504" } },
  },
);
ingress.runStatus("/runs/:run_id");
row(
  "POST /detached",
  Axon.start("detached", Order)
    .withPersistenceStore(runs)
    .thenFn("keep", (order) => order),
  { detached: true },
  posted(ORDER),
  { ...OF_BODY, 202: OK, 400: { body: "{" }, 422: { body: "{}" } },
);
note(
  "GET",
  "/runs/:run_id",
  { path: "/runs/none" },
  {
    200: async (send) => {
      const { headers } = await send({ method: "POST", path: "/detached", ...posted(ORDER) });
      return send({ path: headers.location as string });
    },
    404: OK,
  },
);

// Streams of events, WebSockets, files
ingress.sse(
  "/events",
  Axon.start<void>("events").thenFn(
    "subscribe",
    (_, bus) =>
      bus.find(header("x-none")) === "1"
        ? undefined
        : (async function* () {
            yield { data: "hi" };
          })(),
    { mayRead: [header("x-none")] },
  ) as any,
);
note(
  "GET",
  "/events",
  {},
  { 200: OK, 204: { headers: { "x-none": "1" } }, 406: { headers: { accept: "text/html" } } },
);
const HANDSHAKE = {
  upgrade: "websocket",
  connection: "Upgrade",
  "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
  "sec-websocket-version": "13",
};
ingress.ws("/socket", { schema: Order, message: (order) => order });
note(
  "GET",
  "/socket",
  { headers: HANDSHAKE },
  {
    101: OK,
    400: { headers: { "sec-websocket-key": "short" } },
    403: { headers: { origin: "https://bad.example" } },
    426: { headers: { "sec-websocket-version": "12" } },
  },
);
note(
  "GET",
  "/files/*path",
  { path: "/files/tide.txt" },
  {
    200: OK,
    206: { headers: { range: "bytes=0-3" } },
    301: { path: "/files/charts" },
    304: async (send) => send({ headers: { "if-none-match": (await send()).headers.etag as string } }),
    400: { headers: { "if-match": "x" } },
    404: { path: "/files/none.txt" },
    412: { headers: { "if-match": '"x"' } },
    416: { headers: { range: "bytes=99-" } },
  },
);
