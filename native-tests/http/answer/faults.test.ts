import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, fault, ProblemDetail, type Report, type Static, Type } from "framework";
import { TestApp } from "framework/http";
import { assertSaid } from "../../support/said.js";

describe("faults", () => {
  const reports: Report[] = [];
  class OutOfStock {
    readonly left = 3;
    toProblemDetail() {
      return new ProblemDetail({
        status: 409,
        code: "OUT_OF_STOCK",
        title: "Not enough",
        detail: "3 left",
        extensions: { left: this.left },
      });
    }
  }
  const ingress = () =>
    Framework.http({ reporter: (report) => reports.push(report) })
      .get(
        "/problem",
        Axon.start("p").thenFn("p", () =>
          fault(new ProblemDetail({ status: 402, code: "PAY", title: "Pay first" })),
        ),
      )
      .get(
        "/own",
        Axon.start("o").thenFn("o", () => fault(new OutOfStock())),
      )
      .get(
        "/plain",
        Axon.start("f").thenFn("f", () => fault("secret")),
      )
      .get(
        "/throws",
        Axon.start("t").thenFn("t", () => {
          throw new Error("secret");
        }),
      )
      .get(
        "/rejects",
        Axon.start("r").thenFn("r", async () => {
          throw new Error("secret");
        }),
      )
      .get(
        "/cycle",
        Axon.start("c").thenFn("c", () => {
          const a: Record<string, unknown> = {};
          a["a"] = a;
          return a;
        }),
      )
      .get(
        "/function",
        Axon.start("g").thenFn("g", () => () => 1),
      )
      .get(
        "/bigint",
        Axon.start("i").thenFn("i", () => 1n),
      );

  test("answer the status they say, with their own members beside the others", async () => {
    const app = new TestApp(ingress());
    const { request_id: _, ...own } = (await app.get("/own")).problem;

    assert.equal((await app.get("/problem")).problem.status, 402);
    assert.deepEqual(own, {
      left: 3,
      type: "about:blank",
      title: "Not enough",
      status: 409,
      detail: "3 left",
      instance: "/own",
      code: "OUT_OF_STOCK",
    });
  });

  test("that say none are 500 and reported with the id of the answer", async () => {
    for (const target of ["/plain", "/throws", "/rejects", "/cycle", "/function", "/bigint"]) {
      reports.length = 0;
      const problem = (await new TestApp(ingress()).get(target)).problem;

      assert.equal(problem.status, 500, target);
      assert.deepEqual(
        reports.map(({ requestId }) => requestId),
        [problem.request_id],
        target,
      );
    }
    assert.deepEqual(
      reports.map(({ code, axon }) => [code, axon]),
      [["ANSWER_FAILED", "i"]],
    );
  });

  test("of an output against its schema have the route, its step and the places, in production too", async () => {
    const Priced = Type.Object({
      price: Type.Number(),
      tags: Type.Array(Type.Number()),
      unit: Type.String(),
    });
    const made = Axon.start("priced")
      .thenFn("price", () => ({ price: null, tags: [1, Number.NaN] }) as unknown as Static<typeof Priced>)
      .withOutputSchema(Priced);
    const reports: Report[] = [];
    const reporter = (report: Report) => void reports.push(report);
    const prices = Framework.http({ reporter }).get("/prices/:id", made);
    prices.plan = { ...prices.plan, production: true };
    await using app = new TestApp(prices);
    const { status, text } = await app.get("/prices/1");

    assert.equal(status, 500);
    assert.doesNotMatch(text, /price:|schema/);
    assertSaid(
      reports.map(({ message }) => message),
      [
        /^GET \/prices\/:id, step 'price' of Axon 'priced': .*: \/unit is missing; \/price: a number; \/tags\/1: a number\. Mend the step/,
      ],
    );
  });

  test("says where an output is missing because a step forgot its return", async () => {
    const made = Axon.start("priced")
      .thenFn("price", () => {
        ({ price: 1 });
      })
      // @ts-expect-error untyped callers can
      .withOutputSchema(Type.Object({ price: Type.Number() }));
    const reports: Report[] = [];
    const reporter = (report: Report) => void reports.push(report);

    assert.equal((await new TestApp(Framework.http({ reporter }).get("/", made)).get("/")).status, 500);
    assert.match(
      reports[0]?.message ?? "",
      /step 'price' of Axon 'priced': .*an object; .* is a return missing\? Mend/,
    );
  });

  test("are answered where the reporter throws too", async () => {
    const warned = new Promise<Error>((resolve) => {
      const onWarning = (warning: Error & { code?: string }): void => {
        if (warning.code !== "TRANSITION_PANIC") return;
        process.off("warning", onWarning);
        resolve(warning);
      };
      process.on("warning", onWarning);
    });
    const throwing = Framework.http({
      reporter: () => {
        throw new Error("reporter");
      },
    }).get(
      "/",
      Axon.start("t").thenFn("t", () => {
        throw new Error("step");
      }),
    );

    assert.equal((await new TestApp(throwing).get("/")).status, 500);
    assert.match((await warned).message, /reporter threw\. .*: Step 't' threw: step/);
  });

  test("are told once to a reporter that rejects, and the process lives", async () => {
    const warnings: string[] = [];
    const unheard: unknown[] = [];
    const onWarning = ({ message }: Error) => warnings.push(message);
    const onRejection = (cause: unknown) => unheard.push(cause);
    process.on("warning", onWarning).on("unhandledRejection", onRejection);
    let told = 0;
    const rejecting = Framework.http({
      reporter: async () => {
        told += 1;
        throw new Error("reporter");
      },
    }).get(
      "/",
      Axon.start("r").thenFn("r", () => {
        throw new Error("step");
      }),
    );

    assert.equal((await new TestApp(rejecting).get("/")).status, 500);
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off("warning", onWarning).off("unhandledRejection", onRejection);
    assert.deepEqual([told, unheard], [1, []]);
    assert.match(warnings.join(), /reporter threw\. .*: Step 'r' threw: step/);
  });

  test("of the framework itself are 500 and reported", async () => {
    const failing = (reporter: (report: Report) => void) => {
      const broken = ingress();
      broken.plan = { ...broken.plan, reporter };
      return new TestApp(broken).get("/plain");
    };
    const told: string[] = [];
    const failOnce = ({ code }: Report) => {
      told.push(code);
      if (told.length === 1) throw new Error("a defect");
    };

    assert.equal((await failing(failOnce)).status, 500);
    assert.deepEqual(told, ["FAULT_UNMAPPED", "INGRESS_FAILED"]);
  });

  test("tell nothing of themselves in production", async () => {
    const masked = ingress();
    masked.plan = { ...masked.plan, production: true };
    const app = new TestApp(masked);
    for (const target of ["/plain", "/throws", "/rejects", "/cycle"]) {
      const { request_id: _, ...problem } = (await app.get(target)).problem;

      assert.deepEqual(problem, {
        type: "about:blank",
        title: "Internal server error",
        status: 500,
        instance: target,
        code: "INTERNAL_ERROR",
      });
    }
  });
});
