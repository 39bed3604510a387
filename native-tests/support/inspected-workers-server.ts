// Workers with an Inspector: each answer says which of them gave it.

import {
  Axon,
  BearerAuth,
  Framework,
  fault,
  MemoryDeadLetters,
  MemoryRuns,
  openStores,
  ProblemDetail,
  param,
  Type,
} from "framework";

const { WORKERS = "2", TOKEN = "", STORE = "memory:" } = process.env;

const Item = Type.Object({ name: Type.String(), secret: Type.Optional(Type.String()) });

const waiting = new Set<() => void>();
const wait = (): Promise<number> =>
  new Promise((resolve) => {
    waiting.add(() => resolve(process.pid));
  });

let isBankUp = false;
let packed = 0;
const here = { pid: process.pid };

const server = await Framework.http()
  .bind("127.0.0.1:0")
  .workers(Number(WORKERS))
  .drainIdle(0)
  .stores(openStores(STORE), { leaseMs: 300 })
  .get(
    "/pid",
    Axon.start("pid").thenFn("pid", () => process.pid),
  )
  .get(
    "/run/:name",
    Axon.start("run").thenFn("name", (_, bus) => `${bus.get(param("name"))} ${process.pid}`, {
      reads: [param("name")],
    }),
  )
  .post(
    "/items",
    Axon.start("items", Item)
      .thenFn("take", (item) => item)
      .thenFn("keep", ({ name }) => ({ name, pid: process.pid })),
  )
  .get("/stall", Axon.start("stall").thenFn("wait", wait))
  .get(
    "/go",
    Axon.start("go").thenFn("go", () => {
      for (const go of waiting) go();
      waiting.clear();
      return process.pid;
    }),
  )
  .get(
    "/fail",
    Axon.start("fail").thenFn("fail", () =>
      fault(new ProblemDetail({ status: 500, code: "NO", title: "No" })),
    ),
  )
  .post(
    "/pay",
    Axon.start("pay", Item)
      .thenFn("charge", ({ name }) =>
        isBankUp ? { name, ...here } : fault(new ProblemDetail({ status: 502, code: "DOWN", title: "Down" })),
      )
      .withDlqSink(new MemoryDeadLetters()),
  )
  .get(
    "/bank",
    Axon.start("bank").thenFn("open", () => {
      isBankUp = true;
      return process.pid;
    }),
  )
  .post(
    "/ship",
    Axon.start("ship", Item)
      .thenFn("pack", async ({ name }) => {
        packed += 1;
        // Whoever goes on with it does not wait again.
        if (packed === 1) await wait();
        return { name, ...here };
      })
      .withPersistenceStore(new MemoryRuns()),
  )
  .inspector({
    enabled: true,
    port: 0,
    auth: BearerAuth.tokens({ operator: TOKEN }),
    capturePayloads: "full",
    stallThresholdMs: 300,
    alerts: {
      rules: [{ kind: "error_rate", circuit: "fail", share: 0.5, minRuns: 12 }],
      hooks: [{ name: "stdout", deliver: ({ key, state }) => console.log(`alert ${key} ${state}`) }],
    },
    announce: (link) => console.log(`inspector ${new URL(link).host} ${process.pid}`),
  })
  .run();

if (server.role !== "worker") console.log(`listening ${server.address}`);
