// Outside production: the first response that the document of a route does not have is reported.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  Axon,
  Framework,
  fault,
  guard,
  layer,
  ProblemDetail,
  param,
  type Report,
  respond,
  Type,
} from "framework";
import { TestApp } from "framework/http";

const TAKEN = new ProblemDetail({ status: 409, code: "TAKEN", title: "It is taken" });
const GONE = new ProblemDetail({ status: 410, code: "GONE", title: "It is gone" });

const outcomes: Readonly<Record<string, () => unknown>> = {
  value: () => ({ a: 1 }),
  nothing: () => undefined,
  created: () => respond({ status: 201, body: { a: 1 } }),
  later: async () => respond({ status: 201 as number, body: { a: 1 } }),
  taken: () => fault(TAKEN),
  gone: () => fault(GONE),
  "gone-value": () => GONE,
  throws: () => {
    throw new Error("no");
  },
  unwritable: () => respond({ status: 202 as number, body: 1n }),
};

const stepsOf = (responses: readonly { status: number; code?: string }[]) =>
  Axon.start<void>("steps")
    .thenFn("look", () => undefined)
    .thenFn("answer", { uses: { kind: param("kind") }, responses }, (_, bus) =>
      (outcomes[bus.kind] as any)(),
    );

function served(axon: any, options: object = {}, production = false) {
  const reports: Report[] = [];
  const ingress: any = (Framework.http({ reporter: (report) => reports.push(report) }) as any).get(
    "/:kind",
    axon,
    options,
  );
  ingress.plan = { ...ingress.plan, production };
  const app: any = new (TestApp as any)(ingress);
  const told = async (...kinds: readonly string[]): Promise<readonly string[]> => {
    reports.length = 0;
    for (const kind of kinds) await app.get(`/${kind}`);
    return reports.filter(({ code }) => code === "RESPONSE_UNDECLARED").map(({ message }) => message);
  };
  return { told, reports };
}

describe("a response that the document does not have", () => {
  test("is reported once, with route, step, status and remedy", async () => {
    const { told, reports } = served(stepsOf([]));

    assert.deepEqual(await told("created", "created", "later"), [
      "GET /:kind, step 'answer' of Axon 'steps', responded with 201, which its OpenAPI document does not have: add { status: 201 } to 'responses' of the step",
    ]);
    assert.deepEqual([reports[0]?.axon, reports[0]?.step], ["steps", "answer"]);
    assert.deepEqual(await told("created", "later", "value"), []);
  });

  test("is one of nothing, of a fault, and of a problem that is a value", async () => {
    const { told } = served(stepsOf([TAKEN]));

    assert.match((await told("nothing")).join(), /204, .*or give it an output schema of Type\.Void\(\)$/);
    assert.match(
      (await told("taken", "gone")).join(),
      /^GET .*step 'answer' .* with 410 GONE, .*\{ status: 410, code: "GONE", title: "It is gone" \}/,
    );
    assert.equal((await served(stepsOf([])).told("gone-value")).length, 1);
  });

  test("is none that is declared: by the step, by status alone, by the output, by the route", async () => {
    assert.deepEqual(
      await served(stepsOf([TAKEN, { status: 410 }, { status: 200 }, { status: 201 }, { status: 204 }])).told(
        ...["taken", "gone", "gone-value", "value", "created", "later", "nothing"],
      ),
      [],
    );
    const Output = Type.Union([Type.Object({ a: Type.Integer() }), Type.Undefined()]);
    assert.deepEqual(
      await served((stepsOf([]) as any).withOutputSchema(Output)).told("nothing", "value"),
      [],
    );
    assert.deepEqual(await served(stepsOf([]), { responses: [GONE] }).told("gone"), []);
  });

  test("is one of another code of a declared status, and 200 beside another success", async () => {
    const { told } = served(stepsOf([{ status: 410, code: "LEFT" }, { status: 201 }]));

    assert.match((await told("gone")).join(), /410 GONE/);
    assert.match((await told("value")).join(), /responded with 200, .*add \{ status: 200 \}/);
  });

  test("is one that onFault, a guard or a layer makes", async () => {
    const teapot = new ProblemDetail({ status: 418, code: "TEAPOT", title: "A teapot" });
    const closed = guard({ name: "closed", run: () => fault(GONE) });
    const aside = layer({ name: "aside", run: () => respond({ status: 202 as number, body: "" }) });

    assert.match((await served(stepsOf([]), { onFault: () => teapot }).told("taken")).join(), /418 TEAPOT/);
    assert.match((await served(stepsOf([]), { guards: [closed] }).told("value")).join(), /'closed' .*410/);
    const [byLayer = ""] = await served(stepsOf([]), { layers: [aside] }).told("value");
    assert.match(byLayer, /with 202/);
  });

  test("is none of the framework's own: 500 of a step that throws or answers what has no form", async () => {
    assert.deepEqual(await served(stepsOf([])).told("throws", "unwritable"), []);
  });

  test("is not looked for in production, nor on a route that is in no document", async () => {
    assert.deepEqual(await served(stepsOf([]), {}, true).told("created", "taken"), []);
    assert.deepEqual(await served(stepsOf([]), { internal: true }).told("created", "taken"), []);
  });

  test("of codes that never repeat is reported a hundred times", async () => {
    let n = 0;
    const numbered = Axon.start("numbered").thenFn("answer", { mayUse: { kind: param("kind") } }, () =>
      fault(new ProblemDetail({ status: 409, code: `N${n++}`, title: "Another" })),
    );

    assert.equal((await served(numbered).told(...Array.from({ length: 120 }, () => "x"))).length, 100);
  });
});
