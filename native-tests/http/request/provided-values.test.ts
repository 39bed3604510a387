import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, Framework, fault, param } from "framework";
import { TestApp } from "framework/http";

import { untyped, untypedApp } from "../../support/untyped.js";

const Db = busKey<{ find(id: string): string }>()("Db");
const Plan = busKey<string>()("Plan");
const fake = { find: (id: string) => `row ${id}` };
describe("resources and provided values", () => {
  const using = Axon.start("use").thenFn("use", (_, bus) => `${bus.get(Plan)} ${bus.get(Db).find("1")}`, {
    reads: [Plan, Db],
  });
  const indifferent = Axon.start("i").thenFn("i", () => "i");

  test("reach the steps that declare them", async () => {
    const ingress = Framework.http({ resources: [Db] })
      .provide(Plan, (bus) => `gold ${bus.get(Db).find("2")}`)
      .get("/", using);

    assert.equal((await new TestApp(ingress, { Db: fake }).get("/")).text, "gold row 2 row 1");
  });

  test("are made once a run at their first read, or not at all", async () => {
    let made = 0;
    const twice = Axon.start("t")
      .thenFn("a", (_, bus) => bus.get(Plan), { reads: [Plan] })
      .thenFn("b", (a, bus) => a + bus.get(Plan), { reads: [Plan] });
    const declared = Axon.start("d").thenFn("d", () => "d", { reads: [Plan] });
    const app = new TestApp(
      Framework.http()
        .provide(Plan, () => {
          made += 1;
          return String(made);
        })
        .get("/", twice)
        .get("/declared", declared)
        .get("/i", indifferent),
    );

    assert.equal((await app.get("/")).text, "11");
    assert.equal((await app.get("/")).text, "22");
    await app.get("/i");
    assert.equal(made, 2);
    await app.get("/declared");
    assert.equal(made, 2);
  });

  test("of async functions are awaited before the first step that declares them, in order", async () => {
    const order: string[] = [];
    const User = busKey<string>()("User");
    const later = async (name: string) => {
      await null;
      order.push(name);
      return name;
    };
    const ingress = Framework.http()
      .provide(User, async () => later("user"))
      .provide(Plan, (bus) => `plan of ${bus.get(User)}`, { reads: [User] })
      .get(
        "/",
        Axon.start("x")
          .thenFn("before", () => void order.push("before"))
          .thenFn(
            "read",
            (_, bus) => {
              order.push("read");
              return `${bus.get(Plan)} ${bus.get(User)}`;
            },
            { reads: [Plan, User] },
          ),
      );

    assert.equal((await new TestApp(ingress).get("/")).text, "plan of user user");
    assert.deepEqual(order, ["before", "user", "read"]);
  });

  test("of functions that answer a promise are awaited too, from the first run on", async () => {
    const User = busKey<string>()("User");
    const read = Axon.start("x")
      .thenFn("guard", (_, bus) => (bus.get(Plan) === "none" ? fault("no") : undefined), { reads: [Plan] })
      .thenFn("read", (_, bus) => `${bus.get(Plan)} ${bus.get(User)}`, { reads: [Plan, User] });
    let runs = 0;
    const app = new TestApp(
      Framework.http()
        .provide(Plan, (bus) => Promise.resolve(`plan of ${bus.get(User)}`), { reads: [User] })
        .provide(User, () => {
          runs += 1;
          const user = `user ${runs}`;
          return {
            then: (done: (value: string) => void) => setImmediate(done, user),
          } as unknown as Promise<string>;
        })
        .get("/", read),
    );

    assert.equal((await app.get("/")).text, "plan of user 1 user 1");
    assert.equal((await app.get("/")).text, "plan of user 2 user 2");
  });

  test("of a function that answers at once, and then takes time, fail the one read that it surprises", async () => {
    const answers: unknown[] = ["now", Promise.resolve("later"), "now", Promise.resolve("later")];
    const User = busKey<string>()("User");
    const app = untypedApp(
      untyped(Framework.http())
        .provide(Plan, () => answers.shift())
        .provide(User, (bus: { get(key: unknown): string }) => `user ${bus.get(Plan)}`, { reads: [Plan] })
        .get(
          "/",
          Axon.start("x").thenFn("read", (_, bus) => bus.get(User), { reads: [User] }),
        ),
    );

    const texts = [];
    for (let i = 0; i < 4; i += 1) {
      const { status, text } = await app.get("/");
      texts.push(status === 200 ? text : status);
    }
    assert.deepEqual(texts, ["user now", 500, "user now", "user later"]);
  });

  test("that are read where nothing declares it are made there, unless that takes time", async () => {
    const reports: string[] = [];
    const User = busKey<string>()("User");
    const both = Axon.start("x").thenFn("read", (_, bus) => `${bus.get(Plan)} ${bus.get(User)}`, {
      reads: [Plan, User],
    });
    const app = (makeUser: () => unknown) =>
      untypedApp(
        untyped(Framework.http({ reporter: ({ error }) => reports.push(String(error)) }))
          .provide(Plan, (bus: { get(key: unknown): string }) => `plan of ${bus.get(User)}`)
          .provide(User, makeUser)
          .get("/", both),
      );

    assert.equal((await app(() => "jane").get("/")).text, "plan of jane jane");
    assert.equal((await app(() => Promise.reject(new Error("unheard"))).get("/")).status, 500);
    assert.match(reports.join(), /'User' takes time to make.*name it in 'reads'/);
  });

  test("of null are made once for steps that run at once", async () => {
    const None = busKey<null>()("None");
    let made = 0;
    const read = (name: string) => ({
      name,
      reads: [None],
      run: async (_: void, bus: Nulls) => {
        await null;
        return bus.get(None);
      },
    });
    type Nulls = { get(key: typeof None): null };
    const app = new TestApp(
      Framework.http()
        .provide(None, () => {
          made += 1;
          return null;
        })
        .get(
          "/",
          Axon.start("n").parallel([read("a"), read("b"), read("c")], "AllMustSucceed", (all) =>
            JSON.stringify(all),
          ),
        ),
    );

    assert.equal((await app.get("/")).text, "[null,null,null]");
    assert.equal((await app.get("/")).text, "[null,null,null]");
    assert.equal(made, 2);
  });

  test("that fail are 500 and reported", async () => {
    const reports: string[] = [];
    const failing = (make: () => unknown) => {
      const ingress = untyped(Framework.http({ reporter: ({ message }) => reports.push(message) }))
        .provide(Plan, make)
        .get(
          "/",
          Axon.start("x").thenFn("read", (_, bus) => bus.get(Plan), { reads: [Plan] }),
        );
      return untypedApp(ingress).get("/");
    };

    for (const make of [
      () => {
        throw new Error("down");
      },
      async () => {
        throw new Error("down");
      },
      () => undefined,
      async () => undefined,
      () => Promise.reject(new Error("down")),
    ]) {
      assert.equal((await failing(make)).status, 500);
    }
    assert.match(reports.join("\n"), /down.*\n.*down.*\n.*made nothing.*\n.*made nothing.*\n.*down/);
  });

  test("that are missing are told in one list when the ingress runs", () => {
    const Other = busKey<string>()("Other");
    const ingress = untyped(Framework.http({ resources: [Db] }));
    ingress
      .get("/a", using)
      .get(
        "/b",
        Axon.start("b").thenFn("read", (_, bus) => bus.get(Other), { reads: [Other] }),
      )
      .get(
        "/c/:id",
        Axon.start("c").thenFn("read", (_, bus) => bus.get(param("idd")), { reads: [param("idd")] }),
      );

    assert.throws(() => untypedApp(ingress, { Db: fake }), {
      code: "KEYS_UNPROVIDED",
      message:
        /'Plan' for step 'use' of Axon 'use'.*'Other' for step 'read' of Axon 'b'.*'param:idd' for step 'read' of Axon 'c'/,
    });
    assert.throws(() => untypedApp(ingress), { code: "RESOURCE_MISSING", message: /'Db'/ });
  });

  test("are refused where they contradict each other", () => {
    const [A, B] = [busKey<string>()("A"), busKey<string>()("B")];

    assert.throws(
      () =>
        Framework.http()
          .provide(A, () => "a")
          .provide(A, () => "b"),
      { code: "PROVIDE_INVALID", message: /'A' is provided already/ },
    );
    assert.throws(() => untyped(Framework.http({ resources: [Db] })).provide(Db, () => fake), {
      code: "PROVIDE_INVALID",
    });
    assert.throws(
      () =>
        untypedApp(
          untyped(Framework.http())
            .provide(A, () => "a", { reads: [B] })
            .provide(B, () => "b", { reads: [A] }) as never,
        ),
      { code: "PROVIDE_INVALID", message: /'A' reads 'B' reads 'A'/ },
    );
    assert.throws(
      () =>
        new TestApp(
          Framework.http()
            .provide(A, () => "a")
            .provide(busKey<string>()("A"), () => "b"),
        ),
      { code: "BUS_KEY_AMBIGUOUS", message: /The ingress uses two keys named 'A'/ },
    );
  });
});
