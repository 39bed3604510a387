// What a run of a server finds again where it is resumed without its request, and what it cannot
// have: that is said when its Axon is mounted.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  branch,
  busKey,
  ClientIdentity,
  ClientIp,
  cookie,
  Framework,
  guard,
  header,
  isFault,
  jump,
  Log,
  MemoryRuns,
  pass,
  QueryParams,
  Rooms,
  RunId,
  Session,
  transition,
  VerifiedIdentity,
} from "framework";
import { TestApp } from "framework/http";
import type { ExtensionHost } from "#http/plan/extension.js";
import { resumeRun } from "#runtime/axon/resume.js";
import { loadedExtension } from "../support/loaded-extension.js";
import { keepLog } from "../support/logged-ingress.js";

const Shift = busKey<string>()("Shift");
const Db = busKey<{ readonly at: string }>()("Db");
const kept = () => Axon.start<void>("order").withPersistenceStore(new MemoryRuns());
const one = transition({ name: "one", run: () => 1 });
const reading = (key: unknown) =>
  transition({ name: "reading", mayRead: [key as typeof Shift], run: (n: number) => n });

describe("a step of a kept Axon behind the first", () => {
  const refused = (ingress: unknown): string => {
    try {
      Reflect.construct(TestApp, [ingress, { Db: { at: "here" } }]);
    } catch (error) {
      assert.equal((error as { code?: string }).code, "KEYS_UNKEPT");
      return (error as Error).message;
    }
    return "";
  };
  const mounted = (axon: unknown) => Framework.http().get("/", axon as never);
  const places = (ingress: unknown): readonly string[] =>
    [...refused(ingress).matchAll(/'([^']+)' for step '([^']+)' of Axon 'order' \(([^)]+)\)/g)].map(
      ([, key, step, origin]) => `${key} ${step}: ${origin}`,
    );

  test("may not read a session, which the first step may", async () => {
    const sessions = guard({
      name: "sessions",
      writes: [Session],
      run: (input: unknown, bus) => {
        bus.set(Session, { identity: { subject: "ann" } } as never);
        return pass(input);
      },
    });
    const behind = Framework.http().get("/", kept().then(one).then(reading(Session)), { guards: [sessions] });
    assert.deepEqual(places(behind), ["Session reading: bound to the cookie of the request"]);
    const first = kept().thenFn("first", (_, bus) => bus.get(Session).identity.subject, { reads: [Session] });
    await using app = new TestApp(Framework.http().get("/", first, { guards: [sessions] }));

    assert.equal((await app.get("/")).text, "ann");
  });

  test("may not read what a resumed run does not have, wherever it stands", () => {
    const h = header("x-part");
    const branching = transition({ name: "choose", branches: ["b"], run: () => branch("b", 1) });
    const again = transition({
      name: "again",
      jumps: ["top"],
      run: (n: number) => (n < 0 ? jump("top", n) : n),
    });
    const undo = transition({ name: "undo", reads: [h], run: () => {} });
    for (const [axon, place] of [
      [kept().then(one).then(reading(h)), "header:x-part reading: of the request"],
      [
        kept()
          .then(one)
          .then(reading(cookie("sid"))),
        "cookie:sid reading: of the request",
      ],
      [kept().then(one).then(reading(QueryParams)), "QueryParams reading: of the request"],
      [
        kept()
          .then(branching)
          .branch("b", Axon.start<number>("in").then(reading(h))),
        "header:x-part reading: of the request",
      ],
      [
        kept()
          .then(one)
          .subgraph(Axon.start<number>("in").then(reading(h))),
        "header:x-part reading: of the request",
      ],
      [
        kept()
          .label("top")
          .then({ ...reading(h), run: () => 1 } as never)
          .then(again as never),
        "header:x-part reading: of the request",
      ],
      [kept().thenCompensated(one, undo as never), "header:x-part one: of the request"],
    ] as const)
      assert.deepEqual(places(mounted(axon)), [place]);

    const provided = Framework.http()
      .provide(Shift, () => "night")
      .get("/", kept().then(one).then(reading(Shift)) as never);
    assert.deepEqual(places(provided), ["Shift reading: provided for each request"]);
    const layer = { name: "by-layer", writes: [Shift], run: (_: unknown, next: () => unknown) => next() };
    const layered = Framework.http()
      .layer(layer as never)
      .get("/", kept().then(one).then(reading(Shift)) as never);
    assert.deepEqual(places(layered), ["Shift reading: written by a layer"]);
    assert.match(refused(provided), /Let a guard or the first step .* or make it a resource$/);
  });

  test("may read what the first step or a guard has written of it, resources and the log", () => {
    const h = header("x-part");
    const first = transition({
      name: "first",
      mayRead: [h],
      writes: [Shift],
      run: (_: undefined | void, bus) => {
        bus.set(Shift, bus.find(h) ?? "day");
        return 1;
      },
    });
    const leading = guard({ name: "own", reads: [h], run: (input) => pass(input) });
    for (const axon of [
      kept()
        .then(first as never)
        .then(reading(Shift) as never),
      kept()
        .then(leading as never)
        .then(one as never)
        .then(reading(Log) as never),
      kept().then(one).then(reading(Db)),
      Axon.start<void>("order").then(one).then(reading(h)),
    ])
      assert.equal(
        refused(Framework.http({ resources: [Db] }).get("/", axon as never)),
        "x".slice(1),
        String(axon),
      );
  });
});

describe("a run of a server that is resumed", () => {
  test("has its client, as it was verified by then, and from its host resources, rooms and a log", async () => {
    const runs = new MemoryRuns();
    const world = { hangs: true, release: () => {} };
    const axon = Axon.start<void>("order")
      .withPersistenceStore(runs)
      .thenFn("log in", (_, bus) => void bus.set(VerifiedIdentity, "alice"), { writes: [VerifiedIdentity] })
      .thenFn("wait", () => {
        if (!world.hangs) return undefined;
        return new Promise<undefined>((resolve) => {
          world.release = () => resolve(undefined);
        });
      })
      .thenFn(
        "tell",
        (_, bus) => {
          bus.get(Log).info("told");
          return [bus.get(ClientIdentity), bus.get(ClientIp), bus.get(Db).at, typeof bus.get(Rooms)];
        },
        { reads: [ClientIdentity, ClientIp, Log, Db, Rooms] },
      );
    let host: ExtensionHost | undefined;
    const start = (given: ExtensionHost) => {
      host = given;
      return {};
    };
    const ingress = Framework.http({ resources: [Db] }).get("/", axon);
    ingress.plan = { ...ingress.plan, extensions: [loadedExtension(() => ({ name: "host", start }))] };
    const { lines } = keepLog(ingress);
    const app = new TestApp(ingress, { Db: { at: "here" } });
    const asked = app.get("/");
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    world.hangs = false;
    const [{ id } = { id: "" }] = runs.unfinished();
    const [first, waiting] = runs.read(id) as unknown as readonly { readonly bus: object }[];

    assert.ok(host);
    assert.deepEqual(first?.bus, { ClientIdentity: "127.0.0.1", ClientIp: "127.0.0.1" });
    assert.deepEqual(waiting?.bus, { ClientIdentity: "id:alice", ClientIp: "127.0.0.1" });
    const outcome = await resumeRun(axon.definition, id, { bus: host.resources, force: true });
    assert.deepEqual(isFault(outcome) || outcome, ["id:alice", "127.0.0.1", "here", "object"]);
    assert.deepEqual(
      lines().map(({ msg }) => msg),
      ["told"],
    );
    world.release();
    assert.equal((await asked).status, 409);
  });

  test("has a client whose identity takes time to make", async () => {
    const runs = new MemoryRuns();
    const axon = Axon.start<void>("order")
      .withPersistenceStore(runs)
      .thenFn("one", () => 1)
      .thenFn("two", (_, bus) => bus.get(ClientIdentity), { reads: [ClientIdentity] });
    const ingress = Framework.http()
      .provide(RunId, () => "run")
      .provide(VerifiedIdentity, async () => "bob")
      .get("/", axon);

    assert.equal((await new TestApp(ingress).get("/")).text, "id:bob");
    assert.deepEqual((runs.read("run")[0] as { bus?: unknown }).bus, { ClientIdentity: "id:bob" });
  });
});
