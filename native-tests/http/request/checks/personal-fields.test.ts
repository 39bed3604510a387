import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { TObject } from "@sinclair/typebox";
import { Axon, Framework, type Report, Type } from "framework";
import { Public, Sensitive } from "framework/compliance";

/** What a server reports of unmarked fields when it starts. */
async function warningsOf(body: TObject, output: TObject = Type.Object({})): Promise<readonly string[]> {
  const reports: Report[] = [];
  const reporter = (report: Report): number => reports.push(report);
  const axon = Axon.start("orders", body)
    .thenFn("answer", () => ({}) as never)
    .withOutputSchema(output);
  const server = await Framework.http({ reporter, processGuards: false })
    .bind("127.0.0.1:0")
    .post("/orders", axon)
    .run();
  await server.close();
  return reports.filter(({ code }) => code === "PERSONAL_DATA_UNMARKED").map(({ message }) => message);
}

describe("The warning of unmarked fields", () => {
  test("names Axon, route and place of each, once at the start", async () => {
    const customer = Type.Object({ email: Type.String(), id: Type.String() });
    const warnings = await warningsOf(Type.Object({ customer }), Type.Object({ phone: Type.String() }));

    assert.deepEqual(warnings, [
      "2 fields have names of personal data and no mark: orders POST /orders body/customer/email, orders POST /orders output/phone. Mark each by Sensitive(schema, { category }), or by Public(schema) where it is none",
    ]);
  });

  test("is silenced by marks on the field, around it or inside it", async () => {
    const warnings = await warningsOf(
      Type.Object({
        email: Sensitive(Type.String()),
        phone: Public(Type.String()),
        customer: Sensitive(Type.Object({ firstName: Type.String() })),
        address: Type.Object({ street: Sensitive(Type.String()), country: Type.String() }),
      }),
    );

    assert.deepEqual(warnings, []);
  });

  test("is of no switches, secrets or other names", async () => {
    const warnings = await warningsOf(
      Type.Object({
        email: Type.Boolean(),
        password: Type.String(),
        hotel: Type.String(),
        name: Type.String(),
      }),
    );

    assert.deepEqual(warnings, []);
  });

  test("looks into lists, variants and records", async () => {
    const person = Type.Object({ dateOfBirth: Type.String() });
    const [warning] = await warningsOf(
      Type.Object({
        list: Type.Array(person),
        either: Type.Union([person, Type.Null()]),
        byId: Type.Record(Type.String(), person),
      }),
    );

    assert.match(
      warning ?? "",
      /body\/list\/\*\/dateOfBirth,.* body\/either\/dateOfBirth,.* body\/byId\/\*\/dateOfBirth\./,
    );
  });

  test("has ten fields and the number of the others", async () => {
    const fields = Array.from({ length: 12 }, (_, i) => [`email${i}`, Type.String()] as const);

    const [warning] = await warningsOf(Type.Object(Object.fromEntries(fields)));

    assert.match(warning ?? "", /^12 fields have names .* body\/email9, and 2 more\. /);
  });
});
