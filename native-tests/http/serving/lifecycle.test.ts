import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, test } from "node:test";

import { Axon, busKey, Framework, FrameworkError, type Report } from "framework";
import { UndoStack } from "#http/serving/lifecycle.js";
import { pause } from "../../support/patience.js";

const Db = busKey<object>()("Db");
const Cache = busKey<object>()("Cache");
const hello = Axon.start("hello").thenFn("hello", () => "hello");

/** An ingress that tells what it does, and what it reports. */
function telling() {
  const told: string[] = [];
  const reports: Report[] = [];
  const tell = (what: string) => () => {
    told.push(what);
  };
  const disposable = (name: string) => ({ [Symbol.asyncDispose]: async () => tell(`${name} disposed`)() });
  const reporter = (report: Report) => {
    // Of a busy machine, which is not what is told of here.
    if (report.code !== "LOOP_BLOCKED") reports.push(report);
  };
  const ingress = Framework.http({ resources: [Db, Cache], processGuards: false, reporter })
    .bind("127.0.0.1:0")
    .get("/", hello);
  const resources = { Db: disposable("Db"), Cache: disposable("Cache") };
  return { told, reports, tell, ingress, resources };
}

const fail = (message: string) => () => {
  throw new Error(message);
};

describe("hooks", () => {
  test("run in order, wait for one another, and are undone in reverse, the resources last", async () => {
    const { told, tell, ingress, resources } = telling();
    const later = (what: string) => async () => {
      await pause(10);
      told.push(what);
      return tell(`${what} undone`);
    };
    const server = await ingress
      .onReady(later("ready"))
      .onStart(later("first"))
      .onShutdown(tell("shutdown"))
      .onStart(later("second"))
      .run(resources);
    assert.deepEqual(told.splice(0), ["first", "second", "ready"]);
    await server.close();

    assert.deepEqual(told, [
      "ready undone",
      "second undone",
      "shutdown",
      "first undone",
      "Cache disposed",
      "Db disposed",
    ]);
    assert.equal(await server.closed, true);
  });

  test("get the resources, and onReady the address that listens", async () => {
    const { ingress, resources } = telling();
    const got: unknown[] = [];
    const server = await ingress
      .onStart((given) => {
        got.push(given.Db);
      })
      .onReady(async (given, address) => {
        got.push(given.Cache, await (await fetch(`http://${address}/`)).text());
      })
      .onShutdown((given) => {
        got.push(given.Db);
      })
      .run(resources);
    await server.close();

    assert.deepEqual(got, [resources.Db, resources.Cache, "hello", resources.Db]);
  });

  test("of onStart that fail reject run, with what was declared before them undone", async () => {
    const { told, tell, ingress, resources } = telling();
    const reason = new Error("no database");
    async function connect(): Promise<never> {
      throw reason;
    }
    const running = ingress
      .onStart(() => tell("first undone"))
      .onShutdown(tell("shutdown"))
      .onStart(connect)
      .onShutdown(tell("never"))
      .onStart(tell("never"))
      .run(resources);

    await assert.rejects(running, (error) => {
      assert.ok(error instanceof FrameworkError);
      assert.deepEqual(
        [error.code, error.message, error.cause],
        ["START_FAILED", "onStart 'connect' failed: no database", reason],
      );
      return true;
    });
    assert.deepEqual(told, ["shutdown", "first undone", "Cache disposed", "Db disposed"]);
  });

  test("of onReady that fail reject run, and nothing listens any more", async () => {
    const { told, tell, ingress, resources } = telling();
    let listening = "";
    const running = ingress
      .onStart(() => tell("start undone"))
      .onReady((_, address) => {
        listening = address;
        return tell("ready undone");
      })
      .onReady(fail("no warmth"))
      .run(resources);

    await assert.rejects(running, {
      code: "START_FAILED",
      message: "a hook of onReady failed: no warmth",
    });
    assert.deepEqual(told, ["ready undone", "start undone", "Cache disposed", "Db disposed"]);
    await assert.rejects(fetch(`http://${listening}/`));
  });

  test("and resources are undone where the address cannot be listened on, or a route cannot run", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const taken = telling();
    const needy = telling();
    const reads = Axon.start("needy").thenFn("read", () => 1, { reads: [busKey<string>()("Missing")] });

    await assert.rejects(
      taken.ingress
        .onStart(() => taken.tell("undone"))
        .bind(`127.0.0.1:${port}`)
        .run(taken.resources),
      { code: "LISTEN_FAILED" },
    );
    await assert.rejects((needy.ingress as any).get("/needy", reads).run(needy.resources), {
      code: "KEYS_UNPROVIDED",
    });
    assert.deepEqual(taken.told, ["undone", "Cache disposed", "Db disposed"]);
    assert.deepEqual(needy.told, ["Cache disposed", "Db disposed"]);
    other.close();
  });

  test("that fail when the server stops are reported, and the others run", async () => {
    const { told, reports, tell, ingress } = telling();
    const server = await ingress
      .onShutdown(tell("first"))
      .onShutdown(async function flush() {
        throw new Error("no disk");
      })
      .onStart(() => fail("no undo"))
      .onShutdown(tell("last"))
      .run({ Db: { [Symbol.dispose]: fail("no end") }, Cache: {} });
    await server.close();

    assert.deepEqual(told, ["last", "first"]);
    assert.deepEqual(
      reports.map(({ code, message, error }) => [code, message, (error as Error).message]),
      [
        ["SHUTDOWN_FAILED", "While the server stopped, what undoes a hook of onStart failed", "no undo"],
        ["SHUTDOWN_FAILED", "While the server stopped, onShutdown 'flush' failed", "no disk"],
        ["SHUTDOWN_FAILED", "While the server stopped, the disposal of resource 'Db' failed", "no end"],
      ],
    );
    assert.equal(await server.closed, true, "no run was cut");
  });

  test("that hang when the server stops are left behind, and the others run", async () => {
    const { told, reports, tell, ingress, resources } = telling();
    const server = await ingress
      .gracefulShutdown(0)
      .onShutdown(tell("first"))
      .onShutdown(() => new Promise(() => {}))
      .run(resources);
    await server.close();

    assert.deepEqual(told, ["first", "Cache disposed", "Db disposed"]);
    assert.match(String(reports[0]?.error), /longer than its part of stopping/);
  });
});

describe("an undo stack", () => {
  const hang = () => new Promise(() => {});
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const TIME_MS = 1_000_000;

  test("leaves each entry half of the time that is left, and the last one all of it", async (t) => {
    const told: string[] = [];
    const stack = new UndoStack((name, error) => told.push(`${name}: ${(error as Error).message}`));
    stack.push("last", hang);
    stack.push("quick", () => told.push("quick"));
    stack.push("hangs", hang);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    // The clock goes on before the timer is set: its half is a little less than half.
    const over = stack.unwind(performance.now() + TIME_MS);
    await turn();
    t.mock.timers.tick(TIME_MS * 0.4);
    await turn();
    assert.deepEqual(told, []);
    t.mock.timers.tick(TIME_MS * 0.1);
    await turn();
    await turn();
    assert.match(told.shift() ?? "", /^hangs: .*longer than its part.*, (?:4\d{5}|500000) ms$/);
    assert.deepEqual(told, ["quick"]);
    t.mock.timers.tick(TIME_MS * 0.8);
    await turn();
    assert.deepEqual(told, ["quick"]);
    t.mock.timers.tick(TIME_MS * 0.2);
    await over;

    assert.match(told[1] ?? "", /^last: .*longer than its part.*, \d{6,7} ms$/);
  });
});

describe("what undoes onReady", () => {
  test("does not take the time of all the rest where it hangs", async () => {
    const { told, reports, ingress, resources } = telling();
    const server = await ingress
      .gracefulShutdown(20_000)
      .onReady(() => () => new Promise(() => {}))
      .run(resources);
    const began = performance.now();
    await server.close();

    assert.ok(performance.now() - began < 10_000);
    assert.match(reports[0]?.message ?? "", /what undoes a hook of onReady failed/);
    assert.deepEqual(told, ["Cache disposed", "Db disposed"]);
  });
});

describe("resources", () => {
  test("are disposed of once, by Symbol.asyncDispose rather than Symbol.dispose, or left alone", async () => {
    const { told, tell, ingress } = telling();
    const both = { [Symbol.asyncDispose]: tell("later"), [Symbol.dispose]: tell("now") };
    await (await ingress.run({ Db: both, Cache: both })).close();
    await (await telling().ingress.run({ Db: {}, Cache: Object.create(null) })).close();

    assert.deepEqual(told, ["later"]);
  });

  test("are made by a function where one is given, and run rejects where it fails", async () => {
    const { told, ingress, resources } = telling();
    const server = await ingress.run(async () => resources);
    await server.close();
    const reason = new Error("no database");

    assert.deepEqual(told, ["Cache disposed", "Db disposed"]);
    await assert.rejects(
      telling().ingress.run(() => Promise.reject(reason)),
      { code: "START_FAILED", message: /resources .*: no database$/, cause: reason },
    );
  });

  test("are disposed of only once the last run has ended", async () => {
    const { told, ingress, resources, tell } = telling();
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const slow = Axon.start("slow").thenFn("wait", async () => {
      begin();
      await pause(200);
      tell("answered")();
    });
    const server = await ingress.get("/slow", slow).run(resources);
    const answer = fetch(`http://${server.address}/slow`);
    await begun;
    await server.close();

    assert.equal((await answer).status, 204);
    assert.deepEqual(told, ["answered", "Cache disposed", "Db disposed"]);
  });
});
