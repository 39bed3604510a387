// shared.mjs ADDRESSES CALL: calls a store of several processes, 50 at once, for as long as it is told.
// ADDRESSES is what openStores takes, as JSON. Each answer: calls a second, and what a call costs this
// process, in microseconds of CPU time.

import { Axon, Bus, openStores, RunId, transition } from "../../dist/index.js";
import { MemoryRateLimits, MemoryRooms } from "../../dist/std/index.js";
import { answering } from "./answering.mjs";

const CONCURRENCY = 50;
const CLIENTS = 1000;
/** So many that none is refused: a refusal is cheaper. */
const LIMIT = { capacity: 1_000_000, windowMs: 100_000_000, cost: 1 };
const DAY_MS = 86_400_000;

const [addresses, call] = process.argv.slice(2);
const stores = openStores(JSON.parse(addresses));
await stores.open();
const own = `${process.pid}-${Date.now()}`;
const digest = (n) => `${own}-${n}`.padEnd(43, "_").slice(0, 43);

const decide = (chunk) => {
  const rates = stores.rates ?? new MemoryRateLimits();
  return async (n) => {
    const limit = chunk === undefined ? LIMIT : { ...LIMIT, chunk };
    const { allowed } = await rates.take(`client ${n % CLIENTS}`, limit, performance.now());
    return allowed;
  };
};

const CALLS = {
  decision: () => decide(undefined),
  "decision-chunk-10": () => decide(10),
  async session() {
    const now = Date.now();
    const identity = { subject: "a", issuer: "b", roles: [], claims: {} };
    const record = {
      ...{ owner: digest(0), identity, data: { cart: [1, 2, 3] }, version: 1, csrfSecret: digest(1) },
      ...{ createdAt: now, expiresAt: now + DAY_MS, idleUntil: now + DAY_MS },
    };
    for (let n = 0; n < CLIENTS; n += 1) await stores.sessions.create(digest(n), record, now);
    return async (n) => (await stores.sessions.find(digest(n % CLIENTS), Date.now())).kind === "live";
  },
  key: () => {
    const answer = { status: 201, headers: "\r\nx-order: 1", body: Buffer.from('{"order":1}'.padEnd(300)) };
    return async (n) => {
      const claim = await stores.idempotency.claim(digest(n), "fingerprint", 60_000);
      return claim.kind === "first" && (await stores.idempotency.keep(claim.lease, answer, DAY_MS));
    };
  },
  run: () => {
    const line = ["a", "b", "c"].reduce(
      (axon, name) => axon.then(transition({ name, run: (input) => ({ ...input, [name]: input.n + 1 }) })),
      Axon.start("kept").withPersistenceStore(stores.runs),
    );
    const text = "x".repeat(100);
    return async (n) => {
      const { c } = await line.execute({ n, text }, Bus.of([[RunId, `${own}-${n}`]]));
      return c === n + 1;
    };
  },
  message: () => {
    const rooms = new MemoryRooms();
    const join = stores.rooms ?? (() => rooms.join());
    const [from, to] = [join(), join()];
    const waiting = new Map();
    to.subscribe({
      message: (_topic, message) => waiting.get(String(message).slice(0, 16))?.(true),
      failed(message) {
        throw new Error(message);
      },
    });
    return (n) =>
      new Promise((resolve) => {
        const name = String(n).padEnd(16);
        waiting.set(name, (isRight) => {
          waiting.delete(name);
          resolve(isRight);
        });
        from.publish(`room ${n % 100}`, name.padEnd(100, "x"), false);
      });
  },
};

const once = await CALLS[call]();
let n = 0;
const next = async () => {
  n += 1;
  if (!(await once(n))) throw new Error(`${call} ${n} came to nothing`);
};
for (let warm = 0; warm < 200; warm += 1) await next();

await answering(async (seconds) => {
  const began = performance.now();
  const before = process.cpuUsage();
  const endsAt = began + seconds * 1000;
  let calls = 0;
  const worker = async () => {
    while (performance.now() < endsAt) {
      await next();
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  const { user, system } = process.cpuUsage(before);
  return { calls, rate: calls / ((performance.now() - began) / 1000), ownMicros: (user + system) / calls };
});
await stores.close();
