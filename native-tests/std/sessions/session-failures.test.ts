// What becomes of requests where the store of sessions fails, or others come between.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, isFault, Session } from "framework";
import { IamError, IamIdentity, type SessionData, type SessionStore } from "framework/core";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";
import {
  CleanupSessions,
  CreateSession,
  DestroySession,
  MemorySessions,
  RotateSession,
  SessionFault,
  Sessions,
  type SessionsOptions,
} from "framework/std";
import { keepLog } from "../../support/logged-ingress.js";
import { sessionApp } from "../../support/session-app.js";

type Calls = { -readonly [K in keyof Omit<SessionStore, "perProcess">]: (...args: never[]) => unknown };

/** A store whose calls can be replaced while it is used. */
function breakable() {
  const { perProcess: _, ...memory } = new MemorySessions();
  const store = { ...memory } as unknown as Calls;
  return { memory: memory as unknown as Calls, store, asStore: store as unknown as SessionStore };
}

function opened(options: SessionsOptions = {}) {
  const broken = breakable();
  const { ingress, sessions } = sessionApp({ store: broken.asStore, storeTimeoutMs: 30, ...options });
  const app = new TestApp(ingress);
  const cookie = (id: string) => ({ headers: { cookie: `__Host-sid=${id}` } });
  const login = async (): Promise<string> => {
    const { setCookies } = await app.post("/login", { json: { name: "ann" } });
    return /^__Host-sid=([^;]+)/.exec(setCookies[0] ?? "")?.[1] as string;
  };
  return { ...broken, sessions, app, cookie, login };
}

const FAILURES: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error("down");
  },
  rejects: async () => {
    throw new Error("down");
  },
  hangs: () => new Promise(() => {}),
  "answers nothing": () => null,
  "answers nonsense": () => ({
    kind: "live",
    record: { identity: { subject: "root", roles: [], claims: {} } },
  }),
  "answers a text": async () => "live",
};

describe("a store that fails", () => {
  const asks = {
    find: [
      ["GET", "/whoami"],
      ["GET", "/me"],
      ["POST", "/guarded"],
      ["POST", "/logout-everywhere"],
    ],
    create: [["POST", "/login"]],
    rotate: [["POST", "/rotate"]],
    destroy: [["POST", "/logout"]],
    destroyAll: [["POST", "/logout-everywhere"]],
    update: [["POST", "/data"]],
  } as const;

  for (const [how, fail] of Object.entries(FAILURES))
    test(`is 503 and nobody's session, where it ${how}`, async () => {
      const { memory, store, app, cookie, login } = opened();
      const id = await login();
      for (const call of Object.keys(asks) as (keyof typeof asks)[]) {
        store[call] = fail as never;
        for (const [method, path] of asks[call]) {
          const request =
            path === "/login"
              ? { json: { name: "ann" } }
              : path === "/data"
                ? { json: { name: "a", value: 1 } }
                : {};
          const ask =
            method === "GET" ? app.get(path, cookie(id)) : app.post(path, { ...request, ...cookie(id) });
          const { status, problem, headers, setCookies } = await ask;
          assert.deepEqual(
            [status, problem.code, headers["retry-after"], setCookies],
            [503, "SESSION_STORE_UNAVAILABLE", "1", []],
            `${call}: ${path}`,
          );
        }
        store[call] = memory[call];
      }
      assert.equal((await app.get("/whoami", cookie(id))).text, "ann");
    });

  test("is 503 too where a use cannot be written", async () => {
    const clock = { now: Date.now() };
    const { store, app, cookie, login } = opened({ now: () => clock.now });
    const id = await login();
    clock.now += 10 * 60_000;
    for (const fail of Object.values(FAILURES)) {
      store.touch = fail as never;
      assert.equal((await app.get("/me", cookie(id))).status, 503);
    }
  });

  test("is nothing to those who send no id", async () => {
    const { store, app } = opened();
    store.find = FAILURES["throws"] as never;

    assert.equal((await app.get("/whoami")).text, "nobody, none");
    assert.equal((await app.get("/me")).status, 401);
    assert.equal((await app.post("/logout")).status, 200);
  });

  test("is an error in the log, with the step's name and the request's id, and without the session's", async () => {
    const { store, asStore } = breakable();
    const { ingress } = sessionApp({ store: asStore });
    const { lines } = keepLog(ingress);
    const app = new TestApp(ingress);
    const id = "A".repeat(43);
    for (const call of ["find", "create", "destroy"] as const) store[call] = FAILURES["throws"] as never;
    const ask = async (path: string) => {
      const json = path === "/login" ? { json: { name: "ann" } } : {};
      return (await app.post(path, { ...json, headers: { cookie: `__Host-sid=${id}` } })).problem[
        "request_id"
      ];
    };
    const requests = [await ask("/guarded"), await ask("/login"), await ask("/logout")];

    const failed = lines().filter(({ msg }) => /store of sessions failed/.test(msg));
    assert.deepEqual(
      failed.map(({ level, msg, request_id }) => [level, msg, request_id]),
      ["LoadSession", "CreateSession", "DestroySession"].map((step, i) => [
        50,
        `${step}: the store of sessions failed`,
        requests[i],
      ]),
    );
    assert.ok(!JSON.stringify(lines()).includes(id));
  });

  test("that is full refuses new sessions, and leaves those that there are", async () => {
    const { app, cookie, login } = opened({ store: new MemorySessions({ maxSessions: 1 }) });
    const id = await login();
    const { status, problem } = await app.post("/login", { json: { name: "ben" } });

    assert.deepEqual([status, problem.code], [503, "SESSIONS_FULL"]);
    assert.equal((await app.get("/whoami", cookie(id))).text, "ann");
    assert.equal((await app.post("/login", { json: { name: "ben" }, ...cookie(id) })).status, 200);
  });
});

describe("requests at once", () => {
  test("rotate a session once: the others are 409, where they had found it before", async () => {
    const { memory, store, app, cookie, login } = opened();
    const id = await login();
    let waiting: (() => void)[] = [];
    store.rotate = (async (...args: never[]) => {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === 5) for (const go of waiting) go();
      });
      return memory.rotate(...args);
    }) as never;
    const answers = await Promise.all(Array.from({ length: 5 }, () => app.post("/rotate", cookie(id))));

    waiting = [];
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
    const refused = answers.filter(({ status }) => status === 409);
    assert.ok(
      refused.every(
        ({ problem, setCookies }) => problem.code === "SESSION_CONFLICT" && setCookies.length === 0,
      ),
    );
  });

  test("do not bring a session back that is ended while its use is written", async () => {
    const clock = { now: Date.now() };
    const { memory, store, app, cookie, login } = opened({ now: () => clock.now });
    const id = await login();
    clock.now += 10 * 60_000;
    store.touch = (async (...args: never[]) => {
      await app.post("/logout", cookie(id));
      return memory.touch(...args);
    }) as never;

    assert.equal((await app.get("/me", cookie(id))).status, 401);
    store.touch = memory.touch;
    assert.equal((await app.get("/whoami", cookie(id))).text, "nobody, none");
  });

  test("lose no update: it is made again of what another has written, five times at most", async () => {
    const { memory, store, app, cookie, login } = opened();
    const id = await login();
    let before = 0;
    store.update = ((key: never, version: never, data: never, now: never) => {
      before += 1;
      if (before <= 4) memory.update(key, version, { other: before } as never, now);
      return memory.update(key, version, data, now);
    }) as never;
    const change = () => app.post("/data", { json: { name: "mine", value: 1 }, ...cookie(id) });

    assert.deepEqual((await change()).json, { other: 4, mine: 1 });
    before = -10;
    const { status, problem } = await change();
    assert.deepEqual([status, problem.code], [409, "SESSION_CONFLICT"]);
  });

  test("log nobody out whose session has just got another id: that one would live on", async () => {
    const { app, cookie, login } = opened();
    for (const [path, left] of [
      ["/logout", "/rotate"],
      ["/logout-everywhere", "/rotate"],
      ["/logout", "/login"],
    ] as const) {
      const old = await login();
      const json = left === "/login" ? { json: { name: "ann" } } : {};
      const { setCookies } = await app.post(left, { ...json, ...cookie(old) });
      const id = /=([\w-]{43});/.exec(setCookies[0] ?? "")?.[1] as string;
      const refused = await app.post(path, cookie(old));

      assert.deepEqual(
        [refused.status, refused.problem.code, refused.setCookies],
        [409, "SESSION_CONFLICT", []],
      );
      assert.equal((await app.get("/whoami", cookie(id))).text, "ann");
      assert.equal((await app.post(path, cookie(id))).status, 200);
      assert.equal((await app.get("/whoami", cookie(id))).text, "nobody, none");
    }
  });

  test("update nothing of a session that was ended or moved meanwhile", async () => {
    const { memory, store, app, cookie, login } = opened();
    for (const path of ["/logout", "/rotate"]) {
      const id = await login();
      store.update = (async (...args: never[]) => {
        await app.post(path, cookie(id));
        return memory.update(...args);
      }) as never;
      const { status, problem } = await app.post("/data", { json: { name: "a", value: 1 }, ...cookie(id) });
      assert.deepEqual([status, problem.code], [409, "SESSION_CONFLICT"], path);
    }
  });
});

describe("the steps of sessions", () => {
  const ann: IamIdentity = { subject: "ann", roles: [], claims: {} };

  test("log in whom the Bus says was verified, and else nobody", async () => {
    const axon = Axon.start<string>("login").then(new CreateSession(new Sessions()));
    const { outcome, bus } = await new AxonTestKit().set(IamIdentity, ann).run(axon, "input");
    const nobody = await new AxonTestKit().run(axon, "input");

    assert.equal(outcome, "input");
    assert.ok(bus.find(IamIdentity)?.subject === "ann");
    assert.ok(isFault(nobody.outcome) && nobody.outcome.error instanceof IamError);
    assert.equal(nobody.outcome.error.kind, "MissingToken");
  });

  test("throw where the program gives no identity, or one of somebody else", async () => {
    const sessions = new Sessions();
    const log = (identityOf: () => unknown) =>
      new AxonTestKit().run(
        Axon.start("login").then(
          new CreateSession(sessions, { identityOf: identityOf as () => IamIdentity }),
        ),
        undefined,
      );
    const codeOf = async (run: ReturnType<typeof log>) => {
      const { outcome } = await run;
      return isFault(outcome) && (outcome.error as { readonly code?: unknown }).code;
    };
    for (const identity of [
      undefined,
      null,
      "ann",
      {},
      { subject: "" },
      { subject: "a", roles: "x", claims: {} },
    ])
      assert.equal(await codeOf(log(() => identity)), "TRANSITION_PANIC", JSON.stringify(identity));
    const rotating = Axon.start("rotate")
      .then(new CreateSession(sessions, { identityOf: () => ann }))
      .then(new RotateSession(sessions, { identityOf: () => ({ ...ann, subject: "ben" }) }));
    assert.equal(await codeOf(new AxonTestKit().run(rotating, undefined) as never), "TRANSITION_PANIC");
    const forever = await log(() => ({ ...ann, expiresAt: Number.POSITIVE_INFINITY }));
    assert.deepEqual(forever.bus.find(IamIdentity), ann);
    assert.equal(
      await codeOf(log(() => ({ ...ann, expiresAt: Number.NEGATIVE_INFINITY }))),
      "TRANSITION_PANIC",
    );
    const large = { ...ann, claims: { text: "x".repeat(16_384) } };
    const { outcome } = await log(() => large);
    assert.ok(isFault(outcome) && outcome.error instanceof SessionFault);
    assert.equal(outcome.error.code, "SESSION_DATA_TOO_LARGE");
  });

  test("throw where the program gives data that are no object of JSON", async () => {
    const sessions = new Sessions();
    for (const data of [null, 1, "x", [1], new Map(), Promise.resolve({}), new Date()]) {
      const dataOf = (() => data) as unknown as () => SessionData;
      const axon = Axon.start("login").then(new CreateSession(sessions, { identityOf: () => ann, dataOf }));
      const { outcome } = await new AxonTestKit().run(axon, undefined);
      assert.ok(
        isFault(outcome) && (outcome.error as { code?: unknown }).code === "TRANSITION_PANIC",
        `${data}`,
      );
    }
    const axon = Axon.start("login").then(new CreateSession(sessions, { identityOf: () => ann }));
    const session = (await new AxonTestKit().run(axon, undefined)).bus.find(Session) as Session;
    await assert.rejects(sessions.update(session, (async () => ({})) as never), TypeError);
    await assert.rejects(
      sessions.update({ ...session } as Session, () => ({})),
      { message: /written by the steps of sessions alone/ },
    );
  });

  test("leave no identity on the Bus behind a logout", async () => {
    const sessions = new Sessions();
    const axon = Axon.start("in and out")
      .then(new CreateSession(sessions, { identityOf: () => ann }))
      .then(new DestroySession(sessions));
    const { outcome, bus } = await new AxonTestKit().run(axon, undefined);

    assert.ok(!isFault(outcome));
    assert.equal(bus.has(IamIdentity), false);
  });

  test("forget sessions in batches", async () => {
    const clock = { now: 0 };
    const store = new MemorySessions();
    const sessions = new Sessions({ store, now: () => clock.now });
    const clean = Axon.start("clean").then(new CleanupSessions(sessions, { batch: 2 }));
    for (let n = 0; n < 3; n += 1)
      await new AxonTestKit().run(
        Axon.start("login").then(new CreateSession(sessions, { identityOf: () => ann })),
        undefined,
      );
    const cleaned = async () => (await new AxonTestKit().run(clean, undefined)).outcome;

    assert.equal(await cleaned(), 0);
    clock.now = 1_800_000;
    assert.deepEqual([await cleaned(), await cleaned(), await cleaned()], [2, 1, 0]);
    assert.equal(store.size, 0);
  });

  test("refuse options that they do not know, or cannot work with", () => {
    const sessions = new Sessions();
    const refused = (make: () => unknown, message: RegExp) =>
      assert.throws(make, { code: "CONFIG_INVALID", message });

    refused(
      () => new CreateSession(sessions, { identity: 1 } as object),
      /^CreateSession: 'identity' .*; there are /,
    );
    refused(() => new CreateSession(sessions, { dataOf: 1 } as object), /dataOf is a function of the input$/);
    refused(() => new RotateSession(sessions, { identityOf: 1 } as object), /identityOf is a function/);
    refused(() => new DestroySession(sessions, { everywhere: 1 } as object), /everywhere is true or false$/);
    for (const batch of [0, 1.5])
      refused(
        () => new CleanupSessions(sessions, { batch }),
        new RegExp(`batch .*positive whole number, and is ${batch}$`),
      );
  });
});
