import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import { inspect } from "node:util";

import {
  Axon,
  Bus,
  busKey,
  Framework,
  fault,
  guard,
  isFault,
  ProblemDetail,
  param,
  pass,
  transition,
} from "framework";
import { synapse } from "framework/core";
import { TestApp } from "framework/http";
import { Program } from "#runtime/compile/program.js";
import { bareEnvironment, textArguments, textFolder } from "../support/run-program.js";
import { assertSaid } from "../support/said.js";

const Plan = busKey<string>()("Plan");
const Berth = busKey<number>()("Berth");
const Note = busKey<string>()("Note");

const codeOf = (outcome: unknown): { code: string; message: string } => {
  assert.ok(isFault(outcome));
  return (outcome.error as { cause: { code: string; message: string } }).cause;
};

/** Each with declarations enforced and not. */
const inBothModes = (name: string, body: (production: boolean) => unknown): void => {
  for (const production of [false, true])
    test(`${name}, production ${production}`, async () => {
      await body(production);
    });
};

const run = (axon: { definition: never } | object, production: boolean, input?: unknown): unknown => {
  const program = new Program((axon as { definition: never }).definition, { production });
  return program.run(input, program.acquire());
};

describe("keys that a step names", () => {
  inBothModes("are read and set as properties of its Bus", (production) => {
    const axon = Axon.start<number>("harbour")
      .thenFn("assign", { sets: { berth: Berth, plan: Plan } }, (length, bus) => {
        bus.berth = length * 2;
        bus.plan = "gold";
        return bus.berth + 1;
      })
      .thenFn("show", { uses: { berth: Berth, plan: Plan }, mayUse: { note: Note } }, (n, bus) => {
        const { berth, plan } = bus;
        return [n, berth, plan, bus.note, bus.get(Berth), bus.find(Note), bus.has(Plan)];
      });

    assert.deepEqual(run(axon, production, 2), [5, 4, "gold", undefined, 4, undefined, true]);
  });

  inBothModes("may stand behind the function, and beside lists", (production) => {
    const axon = Axon.start<number>("harbour")
      .thenFn(
        "assign",
        (n, bus) => {
          bus.berth = n;
          bus.set(Plan, String(n));
        },
        {
          sets: { berth: Berth },
          writes: [Plan],
        },
      )
      .thenFn("leave", { uses: { berth: Berth }, reads: [Plan], deletes: [Plan] }, (_, bus) => {
        const plan = bus.get(Plan);
        bus.delete(Plan);
        return [bus.berth, plan];
      });

    assert.deepEqual(run(axon, production, 7), [7, "7"]);
  });

  inBothModes("are read and set under one name where both are declared", (production) => {
    const axon = Axon.start<number>("count")
      .thenFn("begin", { sets: { berth: Berth } }, (n, bus) => {
        bus.berth = n;
      })
      .then(
        transition({
          name: "add",
          uses: { berth: Berth },
          sets: { berth: Berth },
          run: (_: void, bus) => {
            bus.berth += 1;
            return bus.berth;
          },
        }),
      );

    assert.equal(run(axon, production, 1), 2);
  });

  test("are those of a guard and of a synapse as well", async () => {
    const known = guard({
      name: "known",
      uses: { id: param("id") },
      sets: { plan: Plan },
      run(input, bus) {
        bus.plan = `plan of ${bus.id}`;
        return bus.id === "0"
          ? fault(new ProblemDetail({ status: 404, code: "NO_BERTH", title: "No such berth" }))
          : pass(input);
      },
    });
    const ask = synapse({ name: "ask", uses: { plan: Plan }, call: (_: void, bus) => bus.plan });
    const app = new TestApp(
      Framework.http().get("/berths/:id", Axon.start("show").then(ask), { guards: [known] }),
    );

    assert.equal((await app.get("/berths/4")).text, "plan of 4");
    assert.equal((await app.get("/berths/0")).status, 404);
  });

  // NK1: what checks a step sees lists.
  test("are lists of keys for whatever reads the step", () => {
    const step = transition({
      name: "s",
      uses: { plan: Plan },
      sets: { berth: Berth },
      mayUse: { note: Note },
      reads: [Plan],
      run: (_: void, bus) => {
        bus.berth = bus.plan.length;
      },
    });

    assert.deepEqual(
      [step.reads, step.writes, step.mayRead, Object.keys(step).includes("uses")],
      [[Plan], [Berth], [Note], false],
    );
  });
});

describe("what goes wrong with a named key", () => {
  test("is told where a destructured name is assigned in the place of the Bus", () => {
    const read = Axon.start<number>("a").thenFn("assign", { sets: { berth: Berth } }, (n, bus) => {
      let { berth } = bus;
      berth = n;
      return berth;
    });
    const forgotten = Axon.start<number>("a").thenFn("assign", { sets: { berth: Berth } }, (n) => n);

    assertSaid(
      [codeOf(run(read, false, 1)), codeOf(run(forgotten, false, 1))].map(
        ({ code, message }) => `${code}: ${message}`,
      ),
      [
        /^BUS_VALUE_MISSING: 'berth' .*: set it by bus\.berth = \.\.\.; .*destructured 'berth' sets nothing$/,
        /^BUS_VALUE_UNWRITTEN: Step 'assign' .*'Berth', .*'sets': set it by bus\.berth = \.\.\. .*or declare it in 'mayWrite'$/,
      ],
    );
  });

  test("is refused where the step is made: the Bus's own names, what is no key, one name for two keys", () => {
    const made = (names: object) => () =>
      Axon.start("a").thenFn("s", names as { uses: { plan: typeof Plan } }, () => 1);
    for (const name of ["signal", "get", "find", "has", "set", "delete", "span", "then", "toString"])
      assert.throws(made({ uses: { [name]: Plan } }), {
        code: "CONFIG_INVALID",
        message: new RegExp(`^Step 's', uses: '${name}' .*: choose another one$`),
      });
    assert.throws(made({ sets: { plan: "Plan" } }), {
      message: /^Step 's', sets: 'plan' .*: give a key .*busKey, param, header or cookie/,
    });
    assert.throws(made({ uses: { plan: Plan }, mayUse: { plan: Note } }), {
      message: /^Step 's', uses: 'plan' .*: choose two names$/,
    });
  });

  // NK4: a name that is not declared is no silent undefined.
  test("throws outside production for a name that the step does not declare", async () => {
    const touching = (touch: (bus: Record<string, unknown>) => unknown) => {
      const sets = Axon.start<unknown>("a").thenFn("s", { sets: { berth: Berth } }, (_, bus) => {
        bus.berth = 1;
        return touch(bus as never);
      });
      return (production: boolean) => run(sets, production);
    };
    const read = touching((bus) => bus["plan"]);
    const set = touching((bus) => {
      bus["plan"] = "gold";
      return bus["plan"];
    });

    assertSaid(
      [codeOf(read(false)), codeOf(set(false))].map(({ code, message }) => `${code}: ${message}`),
      [
        /^BUS_ACCESS_DENIED: Step 's' read bus\.plan .*in 'uses' or 'mayUse'$/,
        /^BUS_ACCESS_DENIED: Step 's' set bus\.plan .*in 'sets'$/,
      ],
    );
    assert.deepEqual([read(true), set(true)], [undefined, "gold"]);
    // What a runtime or a log does with any object.
    const shown = touching((bus) => [String(bus), JSON.stringify(bus), inspect(bus), "plan" in bus]);
    assert.deepEqual(shown(false), ["[object Object]", "{}", "Bus {}", false]);
    assert.equal(typeof (await touching(async (bus) => Promise.resolve(bus))(false)), "object");
  });

  test("is refused by a proxy that a process in production does not have", () => {
    const program = `
      import { types } from "node:util";
      import { busKey, transition } from "framework/core";
      const step = transition({
        name: "s",
        mayUse: { note: busKey()("Note") },
        run(_, bus) {
          for (let part = bus; part !== null; part = Object.getPrototypeOf(part)) if (types.isProxy(part)) return true;
          return false;
        },
      });
      console.log(step.run(undefined, {}));`;
    const printed = (profile: string) =>
      execFileSync(process.execPath, textArguments(program), {
        cwd: textFolder,
        env: { ...bareEnvironment(), FRAMEWORK_PROFILE: profile },
        encoding: "utf8",
      });

    assert.deepEqual([printed("production"), printed("dev")], ["false\n", "true\n"]);
  });

  test("of guards and synapses is refused as well", async () => {
    const bare = (bus: object) => (bus as Record<string, unknown>)["plan"];
    const peek = guard({
      name: "peek",
      mayUse: { note: Note },
      run: (input, bus) => pass(bare(bus) ?? input),
    });
    const ask = synapse({ name: "ask", mayUse: { note: Note }, call: (_: unknown, bus) => bare(bus) });

    for (const [step, name] of [
      [peek, "peek"],
      [ask, "ask"],
    ] as const)
      assert.match(
        codeOf(run(Axon.start<unknown>("a").then(step as never), false)).message,
        new RegExp(`^Step '${name}' read bus\\.plan without declaring it`),
      );
  });

  test("throws in strict code where what is only read is assigned", () => {
    const axon = Axon.start<unknown>("a")
      .thenFn("set", { sets: { plan: Plan } }, (_, bus) => {
        bus.plan = "gold";
      })
      .thenFn("use", { uses: { plan: Plan } }, (_, bus) => {
        (bus as { plan: string }).plan = "silver";
      });

    assert.match(String(codeOf(run(axon, false))), /TypeError: Cannot set property plan/);
  });
});

describe("the view of a step", () => {
  // NK3: a kept view would keep the values of a run that waited.
  test("is reused only if later runs get the same Bus", () => {
    const views: unknown[] = [];
    const step = transition({
      name: "s",
      uses: { plan: Plan },
      run: (_: void, bus) => void views.push(bus),
    });
    const bus = (isReused: boolean) => ({ isReused }) as never;
    for (const one of [bus(true), bus(false)]) for (const _ of [1, 2]) step.run(undefined, one);

    assert.deepEqual([views[0] === views[1], views[2] === views[3]], [true, false]);
  });
});

describe("two runs at once", () => {
  // NK2: each has a view of its own.
  inBothModes("read and set their own values alone, also after an await", async (production) => {
    const open: (() => void)[] = [];
    const gates = [0, 1].map((n) => new Promise<void>((resolve) => (open[n] = resolve)));
    const axon = Axon.start<number>("berths")
      .thenFn("assign", { sets: { berth: Berth, plan: Plan } }, async (n, bus) => {
        bus.berth = n;
        await gates[n];
        bus.plan = `plan ${bus.berth}`;
        return n;
      })
      .thenFn("show", { uses: { berth: Berth, plan: Plan } }, async (n, bus) => {
        await null;
        return [n, bus.berth, bus.plan];
      });
    const program = new Program(axon.definition, { production });
    const first = program.run(0, program.acquire());
    const second = program.run(1, program.acquire());
    open[1]?.();
    const later = await second;
    open[0]?.();

    assert.deepEqual(
      [await first, later],
      [
        [0, 0, "plan 0"],
        [1, 1, "plan 1"],
      ],
    );
  });

  test("do not see each other's through a view that outlives its run", async () => {
    let kept: { readonly plan: string } | undefined;
    const axon = Axon.start<string>("leak")
      .thenFn("set", { sets: { plan: Plan } }, (plan, bus) => {
        bus.plan = plan;
      })
      .thenFn("use", { uses: { plan: Plan } }, (_, bus) => {
        kept ??= bus;
        return bus.plan;
      });

    assert.equal(await axon.execute("gold", Bus.of([])), "gold");
    assert.equal(await axon.execute("silver", Bus.of([])), "silver");
    assert.throws(() => kept?.plan, { code: "BUS_RELEASED" });
  });
});
