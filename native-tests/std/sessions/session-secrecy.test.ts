// Where the id of a session must not be: in nothing that is recorded, logged, drawn or kept.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import { Axon, cookie, Framework, header, IamPolicy, type Recorder, Session } from "framework";
import {
  IamError,
  IamIdentity,
  type IdempotencyStore,
  SessionIssued,
  SessionLookup,
  type SessionStore,
} from "framework/core";
import { TestApp } from "framework/http";
import { AxonTestKit, MemoryRuns } from "framework/runtime";
import {
  CreateSession,
  cached,
  DestroySession,
  IdempotencyGuard,
  LoadSession,
  MemoryIdempotency,
  MemorySessions,
  RotateSession,
  Sessions,
  ValidateSession,
} from "framework/std";
import { textArguments, textFolder } from "../../support/run-program.js";
import { sessionApp } from "../../support/session-app.js";

const ann = { subject: "ann", roles: [], claims: {} };

/** Everything that can be read off it, hidden properties too. */
const shown = (value: unknown): string =>
  `${inspect(value, { depth: 20, showHidden: true, getters: true, maxStringLength: null })}${JSON.stringify(value)}`;

/** A memory store, and all that it was ever given. */
function spied() {
  const { perProcess: _, ...memory } = new MemorySessions();
  const given: unknown[] = [];
  const entries = Object.entries(memory).map(([name, call]) => [
    name,
    (...args: never[]) => {
      given.push(args);
      return (call as (...args: never[]) => unknown)(...args);
    },
  ]);
  return { store: Object.fromEntries(entries) as SessionStore, given };
}

describe("the id of a session", () => {
  test("is in the store as its SHA-256 alone", async () => {
    const { store, given } = spied();
    const app = new TestApp(sessionApp({ store }).ingress);
    const ids: string[] = [];
    const ask = async (path: string, brought = "") => {
      const request = { headers: { cookie: `__Host-sid=${brought}` } };
      const json = { json: { name: "ann" } };
      const { setCookies } = await app.post(path, path === "/login" ? { ...request, ...json } : request);
      const id = /^__Host-sid=([^;]+)/.exec(setCookies[0] ?? "")?.[1];
      if (id !== undefined) ids.push(id);
      return id as string;
    };
    const second = await ask("/rotate", await ask("/login"));
    await ask("/logout", await ask("/login", second));

    assert.equal(ids.length, 3);
    const all = shown(given);
    for (const id of ids) {
      assert.ok(!all.includes(id));
      assert.ok(all.includes(createHash("sha256").update(id).digest("base64url")));
    }
  });

  test("is in no Timeline, no input that a recorder sees, no drawing, and nothing on the Bus but as a Secret", async () => {
    const sessions = new Sessions();
    const recorded: unknown[] = [];
    const recorder: Recorder = {
      mounted: (circuit) => circuit.watch({ kind: "all" }),
      beforeNode: (run, node, input) => {
        recorded.push(run.timeline, node, input);
        return input;
      },
      event: (_, event) => void recorded.push(event),
      ended: (run, outcome) => void recorded.push(run.timeline, outcome),
    };
    const axon = Axon.start<string>("in")
      .then(new CreateSession(sessions, { identityOf: () => ann }))
      .then(new RotateSession(sessions));
    const { bus, timeline } = await new AxonTestKit({}, { recorder }).run(axon, "input");
    const line = bus.find(SessionIssued)?.reveal() ?? "";
    const [, id = ""] = /^__Host-sid=([\w-]{43});/.exec(line) ?? [];

    assert.equal(id.length, 43);
    assert.ok(timeline.events.length > 0 && recorded.length > 0);
    const values = [Session, SessionLookup, IamIdentity, SessionIssued].map((key) => bus.find(key));
    assert.ok(values.every((value) => value !== undefined));
    for (const what of [timeline, recorded, values, axon.schematic(), axon.explain(), sessions])
      assert.ok(!shown(what).includes(id), shown(what).slice(0, 200));
  });

  test("is in no log of a run that is kept, before the next step or at its end", async () => {
    const sessions = new Sessions();
    const entries: unknown[] = [];
    const runs = new MemoryRuns();
    const store = {
      ...runs,
      append: (...args: Parameters<typeof runs.append>) => {
        entries.push(args);
        return runs.append(...args);
      },
    };
    const axon = Axon.start<string>("kept")
      .withPersistenceStore(store, { checkpoint: "sync" })
      .then(new CreateSession(sessions, { identityOf: () => ann }))
      .thenFn("say", (_, bus) => bus.get(IamIdentity).subject, { reads: [IamIdentity] })
      .thenFn("shout", (text) => text.toUpperCase());
    const { outcome, bus } = await new AxonTestKit().run(axon, "input");
    const [, id = ""] = /=([\w-]{43});/.exec(bus.find(SessionIssued)?.reveal() ?? "") ?? [];

    assert.deepEqual([outcome, id.length], ["ANN", 43]);
    assert.ok(entries.length > 2 && shown(entries).includes('"ann"'));
    assert.ok(!shown(entries).includes(id));
  });

  test("leads from a Session on the Bus neither to itself nor to what tokens are made from", async () => {
    const { store, given } = spied();
    const app = Axon.start("in").then(new CreateSession(new Sessions({ store }), { identityOf: () => ann }));
    const { bus } = await new AxonTestKit().run(app, undefined);
    const session = bus.find(Session) as Session;
    const [key, record] = given[0] as [string, { csrfSecret: string }];

    assert.deepEqual(Object.keys(JSON.parse(JSON.stringify(session))), [
      "identity",
      "data",
      "version",
      "createdAt",
      "expiresAt",
      "idleUntil",
    ]);
    for (const secret of [key, record.csrfSecret]) assert.ok(!shown(session).includes(secret));
    assert.match(session.csrfToken, /^[\w-]{86}$/);
  });

  test("is frozen with its data and identity: no step changes what others read", async () => {
    const axon = Axon.start("in").then(
      new CreateSession(new Sessions(), { identityOf: () => ann, dataOf: () => ({ list: [{ n: 1 }] }) }),
    );
    const { bus } = await new AxonTestKit().run(axon, undefined);
    const { data, identity } = bus.find(Session) as Session;

    assert.throws(() => (data["list"] as { n: number }[]).push({ n: 2 }), TypeError);
    assert.throws(() => Object.assign((data["list"] as object[])[0] as object, { n: 2 }), TypeError);
    assert.throws(() => (identity.roles as string[]).push("admin"), TypeError);
  });
});

describe("an answer that is kept under an idempotency key", () => {
  test("has no cookie in it, and whoever repeats the login is not logged in by that", async () => {
    const sessions = new Sessions();
    const kept: unknown[] = [];
    const memory = new MemoryIdempotency();
    const store: IdempotencyStore = {
      claim: memory.claim,
      release: memory.release,
      keep: (...args) => {
        kept.push(args);
        return memory.keep(...args);
      },
    };
    const login = Axon.start("login")
      .then(new CreateSession(sessions, { identityOf: () => ann }))
      .thenFn("say", () => "in");
    const app = new TestApp(Framework.http().guard(new IdempotencyGuard({ store })).post("/login", login));
    const ask = () => app.post("/login", { headers: { "idempotency-key": '"k1"' } });
    const [first, again] = [await ask(), await ask()];

    assert.equal(first.setCookies.length, 1);
    assert.deepEqual(
      [again.text, again.headers["idempotent-replayed"], again.setCookies],
      ["in", "true", []],
    );
    assert.equal(kept.length, 1);
    const id = /=([\w-]{43});/.exec(first.setCookies[0] as string)?.[1] as string;
    assert.ok(!shown(kept).includes(id));
  });
});

describe("a verifier of sessions", () => {
  const opened = () => {
    const clock = { now: 1_700_000_000_000 };
    const { perProcess: _, ...memory } = new MemorySessions();
    const store = { ...memory } as { -readonly [K in keyof typeof memory]: unknown };
    const sessions = new Sessions({ store: store as never, now: () => clock.now, storeTimeoutMs: 20 });
    const { ingress } = sessionApp();
    const verifier = sessions.verifier();
    const verify = async (token: string) => verifier.verify(token);
    const login = async () => {
      const axon = Axon.start("in").then(new CreateSession(sessions, { identityOf: () => ann }));
      const { bus } = await new AxonTestKit().run(axon, undefined);
      return /=([\w-]+);/.exec(bus.find(SessionIssued)?.reveal() ?? "")?.[1] as string;
    };
    return { clock, store, sessions, ingress, verifier, verify, login };
  };
  const kindOf = (answer: unknown) =>
    answer instanceof IamError ? answer.kind : (answer as { subject: string }).subject;

  test("answers whose it is, and why it is nobody's", async () => {
    const { clock, store, verify, login } = opened();
    const id = await login();

    assert.deepEqual(await verify(id), { ...ann, expiresAt: clock.now + 43_200_000 });
    for (const token of ["", "x", `${id}A`, "A".repeat(43)])
      assert.equal(kindOf(await verify(token)), "InvalidToken", token);
    const { find } = store;
    for (const fail of [() => new Promise(() => {}), () => ({})]) {
      store.find = fail;
      assert.equal(kindOf(await verify(id)), "VerifierUnavailable");
    }
    store.find = find;
    clock.now += 1_800_000;
    assert.equal(kindOf(await verify(id)), "Expired");
  });

  test("lets in by withIam, from the cookie", async () => {
    const { clock, sessions, login } = opened();
    const now = () => clock.now;
    const me = Axon.start("me")
      .withIam(IamPolicy.requireIdentity(), sessions.verifier(), { token: cookie("__Host-sid"), now })
      .thenFn("say", (_, bus) => bus.get(IamIdentity).subject, { reads: [IamIdentity] });
    const app = new TestApp(Framework.http().get("/me", me));
    const ask = (id: string) => app.get("/me", { headers: { cookie: `__Host-sid=${id}` } });

    assert.equal((await ask(await login())).text, "ann");
    assert.equal((await ask("A".repeat(43))).problem.code, "TOKEN_INVALID");
    assert.equal((await app.get("/me")).problem.code, "TOKEN_MISSING");
  });

  test("counts as a use, and tells those who remember when a session is ended", async () => {
    const { clock, sessions, verifier, verify, login } = opened();
    const id = await login();
    for (let n = 0; n < 3; n += 1) {
      clock.now += 1_700_000;
      assert.equal(kindOf(await verify(id)), "ann");
    }
    const before = verifier.generation;
    await verify(id);
    assert.equal(verifier.generation, before);
    await sessions.endAll(ann);

    assert.notEqual(verifier.generation, before);
    assert.equal(kindOf(await verify(id)), "InvalidToken");
  });

  test("has nobody remember a session beyond its end", async () => {
    const { clock, verifier, login } = opened();
    const remembering = cached(verifier, { now: () => clock.now, maxAgeMs: 86_400_000 });
    const id = await login();
    const ask = async () => kindOf(await remembering.verify(id, { signal: new AbortController().signal }));

    assert.equal(await ask(), "ann");
    clock.now += 43_200_000 - 1;
    assert.equal(await ask(), "ann");
    clock.now += 1;
    assert.notEqual(await ask(), "ann");
  });

  test("tells of an end when it is done, so that nobody remembers what was live until then", async () => {
    const { clock, store, sessions, verifier, login } = opened();
    const remembering = cached(verifier, { now: () => clock.now });
    const ask = async (id: string) =>
      kindOf(await remembering.verify(id, { signal: new AbortController().signal }));
    const logout = Axon.start("out").then(new DestroySession(sessions));
    const { destroy, destroyAll } = store as Record<string, (...of: unknown[]) => unknown>;
    const slowly =
      (call: ((...of: unknown[]) => unknown) | undefined, id: string) =>
      async (...of: unknown[]) => {
        await ask(id);
        return call?.(...of);
      };
    const [first, second] = [await login(), await login()];
    store.destroy = slowly(destroy, first) as never;
    store.destroyAll = slowly(destroyAll, second) as never;

    await new AxonTestKit().set(header("cookie"), `__Host-sid=${first}`).run(logout, undefined);
    assert.equal(await ask(first), "InvalidToken");
    await sessions.endAll(ann);
    assert.equal(await ask(second), "InvalidToken");
  });

  test("says nothing of an end to those who remember, where there was no session", async () => {
    const { sessions, verifier } = opened();
    const logout = Axon.start("out").then(new DestroySession(sessions));
    const before = verifier.generation;
    await new AxonTestKit().set(header("cookie"), `__Host-sid=${"A".repeat(43)}`).run(logout, undefined);
    await sessions.endAll(ann);

    assert.equal(verifier.generation, before);
  });

  test("is drawn with where it looks, and says what it keeps in memory", () => {
    const sessions = new Sessions();

    assert.equal(
      sessions.verifier().description,
      "session: cookie __Host-sid, for 43200000 ms, idle 1800000 ms",
    );
    assert.match(`${sessions.verifier().perProcess}`, /^sessions in memory/);
    for (const step of [new LoadSession(sessions), new CreateSession(sessions)])
      assert.match(`${step.perProcess}`, /^sessions in memory/);
    assert.equal(new ValidateSession().description, "A live session of any identity");
  });
});

describe("a cookie for plain http", () => {
  test("is called sid, has no Secure, and is found again", async () => {
    const app = new TestApp(sessionApp({ insecureCookie: true }).ingress);
    const { setCookies } = await app.post("/login", { json: { name: "ann" } });

    assert.match(setCookies[0] as string, /^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const cookie = (setCookies[0] as string).split(";")[0] as string;
    assert.equal((await app.get("/whoami", { headers: { cookie } })).text, "ann");
    const out = await app.post("/logout", { headers: { cookie } });
    assert.deepEqual(out.setCookies, ["sid=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax"]);
  });

  test("is refused in production", () => {
    const program = `
      import { Sessions } from "framework/std";
      try { new Sessions({ insecureCookie: true }); console.log("made"); }
      catch (error) { console.log(error.code, error.message); }`;
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const run = (profile: string) =>
      execFileSync(process.execPath, textArguments(program), {
        cwd: textFolder,
        env: { ...env, FRAMEWORK_PROFILE: profile },
        encoding: "utf8",
      });

    assert.match(
      run("prod"),
      /^CONFIG_INVALID Sessions: insecureCookie .*: leave it out, and serve https\n$/,
    );
    assert.equal(run("dev"), "made\n");
  });
});
