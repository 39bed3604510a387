// Sessions against a model of them: random requests of several clients, which also send ids
// that they had before, on a clock that moves.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { TestApp } from "framework/http";
import { MemorySessions } from "framework/std";
import { sessionApp } from "../../support/session-app.js";

const IDLE = 10_000;
const LIFE = 35_000;
const START = 1_700_000_000_000;

interface ModelSession {
  readonly name: string;
  readonly expiresAt: number;
  idleUntil: number;
  data: Record<string, unknown>;
  roles: string[];
}

/** All ids that ever were: what has no session any more must not have one again. */
class Model {
  readonly ids: string[] = [];
  readonly live = new Map<string, ModelSession>();
  /** Those that another id took the place of, at some time. */
  readonly replaced = new Set<string>();

  /** The session of an id at that time, used. */
  use(id: string, now: number): ModelSession | undefined {
    const session = this.at(id, now);
    if (session === undefined) return undefined;
    const idleUntil = Math.min(now + IDLE, session.expiresAt);
    if (idleUntil - session.idleUntil >= IDLE / 10) session.idleUntil = idleUntil;
    return session;
  }

  at(id: string, now: number): ModelSession | undefined {
    const session = this.live.get(id);
    return session !== undefined && Math.min(session.idleUntil, session.expiresAt) > now
      ? session
      : undefined;
  }

  add(id: string, session: ModelSession): void {
    this.ids.push(id);
    this.live.set(id, session);
  }
}

const op = fc.record({
  what: fc.constantFrom(
    "login",
    "login",
    "who",
    "who",
    "me",
    "data",
    "rotate",
    "logout",
    "everywhere",
    "clean",
  ),
  name: fc.constantFrom("ann", "ben"),
  /** Which of the ids that there were; beyond, none. */
  id: fc.nat(9),
  ms: fc.oneof(fc.constant(0), fc.constantFrom(999, 1000, 1001, IDLE - 1, IDLE, IDLE + 1), fc.nat(4000)),
});

describe("sessions", () => {
  test("are what the model says they are, whatever clients do", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(op, { minLength: 5, maxLength: 40 }), async (ops) => {
        const clock = { now: START };
        const store = new MemorySessions();
        const app = new TestApp(
          sessionApp({ store, now: () => clock.now, idleMs: IDLE, absoluteMs: LIFE }).ingress,
        );
        const model = new Model();
        const issued = (setCookies: readonly string[]): string => {
          assert.equal(setCookies.length, 1);
          const id = /^__Host-sid=([\w-]{43});/.exec(setCookies[0] as string)?.[1] as string;
          assert.ok(!model.ids.includes(id));
          return id;
        };

        for (const { what, name, id: at, ms } of ops) {
          clock.now += ms;
          const { now } = clock;
          const id = model.ids[model.ids.length - 1 - at] ?? "A".repeat(43);
          const headers = { cookie: `__Host-sid=${id}` };
          if (what === "login") {
            const { setCookies } = await app.post("/login", { json: { name }, headers });
            model.live.delete(id);
            model.replaced.add(id);
            const expiresAt = now + LIFE;
            const session = { name, expiresAt, idleUntil: now + IDLE, data: { of: name }, roles: ["user"] };
            model.add(issued(setCookies), session);
          } else if (what === "who") {
            const { text } = await app.get("/whoami", { headers });
            const session = model.use(id, now);
            if (session === undefined) assert.match(text, /^nobody, /);
            else assert.equal(text, session.name);
          } else if (what === "me") {
            const { status, json } = await app.get("/me", { headers });
            const session = model.use(id, now);
            assert.equal(status, session === undefined ? 401 : 200);
            if (session === undefined) continue;
            const { name: subject, expiresAt, idleUntil, data, roles } = session;
            const { version: _, createdAt, ...told } = json as Record<string, unknown>;
            assert.deepEqual(told, { subject, expiresAt, idleUntil, data, roles });
            assert.equal(createdAt, expiresAt - LIFE);
          } else if (what === "data") {
            const { status } = await app.post("/data", { json: { name, value: now }, headers });
            const session = model.use(id, now);
            assert.equal(status, session === undefined ? 401 : 200);
            if (session !== undefined) session.data = { ...session.data, [name]: now };
          } else if (what === "rotate") {
            const { status, setCookies } = await app.post("/rotate", { headers });
            const session = model.use(id, now);
            assert.equal(status, session === undefined ? 401 : 200);
            if (session === undefined) continue;
            model.live.delete(id);
            model.replaced.add(id);
            model.add(issued(setCookies), { ...session, roles: [...session.roles, "admin"] });
          } else if (what === "logout") {
            const { status } = await app.post("/logout", { headers });
            assert.ok(status === 200 || (status === 409 && model.replaced.has(id)), `${status}`);
            model.live.delete(id);
          } else if (what === "everywhere") {
            const { status } = await app.post("/logout-everywhere", { headers });
            assert.ok(status === 200 || (status === 409 && model.replaced.has(id)), `${status}`);
            const owner = model.use(id, now)?.name;
            for (const [other, session] of model.live) if (session.name === owner) model.live.delete(other);
          } else store.cleanUp(2, now);
        }
        for (const id of model.ids) {
          const { text } = await app.get("/whoami", { headers: { cookie: `__Host-sid=${id}` } });
          const session = model.at(id, clock.now);
          assert.equal(text.startsWith("nobody, ") ? undefined : text, session?.name);
        }
      }),
      { numRuns: 150 },
    );
  });
});
