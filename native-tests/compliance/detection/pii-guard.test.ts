import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework, isFault, Type } from "framework";
import { PiiFault, PiiGuard, type PiiGuardOptions, Public, Sensitive } from "framework/compliance";
import { TestApp } from "framework/http";
import { AxonTestKit } from "framework/runtime";

const Ticket = Type.Object({
  subject: Type.String({ maxLength: 60 }),
  note: Type.Optional(Type.String()),
  contact: Type.Optional(Sensitive(Type.String(), { category: "email" })),
  imprint: Type.Optional(Public(Type.String())),
  phone: Type.Optional(Type.String({ pattern: "^\\+\\d{4,15}$" })),
  since: Type.Optional(Type.Object({ birthday: Type.String({ format: "date" }) })),
  notes: Type.Optional(Type.Record(Type.String(), Type.String())),
});

type Ticket = (typeof Ticket)["static"];

const guarded = (options: PiiGuardOptions) =>
  Axon.start("ticket", Ticket).then(new PiiGuard({ schema: Ticket, ...options }));

const outcomeOf = async (options: PiiGuardOptions, input: Ticket) =>
  (await new AxonTestKit().run(guarded(options), input)).outcome;

const CARD = "4111 1111 1111 1111";

describe("PiiGuard", () => {
  test("refuses with pointers and kinds, and without values", async () => {
    await using app = new TestApp(Framework.http().post("/tickets", guarded({ mode: "refuse" })));

    const response = await app.post("/tickets", {
      json: { subject: "Refund", note: `to ${CARD}, or ask alice@example.com` },
    });

    const { code, personal_data: places } = response.json as Record<string, unknown>;
    assert.equal(response.status, 422);
    assert.equal(code, "PERSONAL_DATA_REFUSED");
    assert.deepEqual(places, [
      { pointer: "/note", kind: "email" },
      { pointer: "/note", kind: "card" },
    ]);
    assert.doesNotMatch(response.text, /4111|alice/);
  });

  test("passes an input on that has none", async () => {
    const input = { subject: "Refund", note: "order 1000234567" };

    assert.equal(await outcomeOf({ mode: "refuse" }, input), input);
  });

  test("looks at no field that a mark covers, be it sensitive or public", async () => {
    const input = { subject: "x", contact: "alice@example.com", imprint: "info@example.com" };

    assert.equal(await outcomeOf({ mode: "refuse" }, input), input);
  });

  test("takes an empty field of a personal name for no data", async () => {
    const step = Axon.start<unknown>("any").then(new PiiGuard({ mode: "refuse" }));

    const { outcome } = await new AxonTestKit().run(step, { email: "", phone: null });

    assert.deepEqual(outcome, { email: "", phone: null });
  });

  test("looks for the given kinds only", async () => {
    const input = { subject: "x", note: "alice@example.com" };

    assert.equal(await outcomeOf({ mode: "refuse", kinds: ["card"] }, input), input);
    assert.ok(isFault(await outcomeOf({ mode: "refuse", kinds: ["email"] }, input)));
  });

  for (const mode of ["refuse", "mask"] as const)
    test(`refuses in mode ${mode} what it cannot look at whole, so that padding carries nothing past it`, async () => {
      const filled = (length: number) => ({ subject: "x", note: `${" ".repeat(length)}alice@example.com` });
      const many = Array.from({ length: 150 }, (_, i) => `user${i}@example.com`).join(" ");

      const outcomes = [
        await outcomeOf({ mode }, filled(70_000)),
        await outcomeOf({ mode }, { subject: "x", note: many }),
      ];

      for (const outcome of outcomes) {
        assert.ok(isFault(outcome) && outcome.error instanceof PiiFault && outcome.error.isPartial);
        assert.match(outcome.error.toProblemDetail().detail ?? "", /too large/);
      }
    });

  test("masks some plainly and others in their form, as the schema of each wants", async () => {
    const input = { subject: "to alice@example.com", phone: "+4930123456", note: "bob@example.com" };

    const masked = await outcomeOf({ mode: "mask" }, input);

    assert.deepEqual(masked, { subject: "to [redacted]", phone: "+0000000000", note: "[redacted]" });
  });

  test("masks the found parts of a text", async () => {
    const note = `to ${CARD}, or ask alice@example.com`;

    const masked = await outcomeOf({ mode: "mask" }, { subject: "Refund", note });

    assert.deepEqual(masked, { subject: "Refund", note: "to [redacted], or ask [redacted]" });
  });

  test("leaves the given input as it was when it masks", async () => {
    const input = { subject: "x", note: CARD };

    await outcomeOf({ mode: "mask" }, input);

    assert.equal(input.note, CARD);
  });

  test("keeps the form of a value whose schema takes no other text", async () => {
    assert.deepEqual(await outcomeOf({ mode: "mask" }, { subject: "x", phone: "+4930123456" }), {
      subject: "x",
      phone: "+0000000000",
    });
  });

  test("refuses where no masked value fits the schema", async () => {
    const outcome = await outcomeOf({ mode: "mask" }, { subject: "x", since: { birthday: "1990-04-01" } });

    assert.ok(isFault(outcome) && outcome.error instanceof PiiFault);
    assert.deepEqual(outcome.error.places, [{ pointer: "/since/birthday", kind: "date_of_birth" }]);
  });

  test("refuses, and shows nothing of it, where a key is personal data", async () => {
    const outcome = await outcomeOf({ mode: "mask" }, { subject: "x", notes: { "alice@example.com": "x" } });

    assert.ok(isFault(outcome) && outcome.error instanceof PiiFault);
    assert.deepEqual(outcome.error.places, [{ pointer: "/notes/[redacted]", kind: "email" }]);
  });

  test("reports pointers, kinds and their number in the log, and passes the input on", async () => {
    const log: Readonly<Record<string, unknown>>[] = [];
    await using app = new TestApp(
      Framework.http().post("/tickets", guarded({ mode: "report" })),
      {},
      { log },
    );

    const response = await app.post("/tickets", {
      json: { subject: "x", note: `${CARD} alice@example.com` },
    });

    const line = log.find((each) => each["code"] === "PERSONAL_DATA_FOUND");
    assert.equal(response.status, 200);
    assert.equal(line?.["count"], 2);
    assert.deepEqual(line?.["personal_data"], [
      { pointer: "/note", kind: "email" },
      { pointer: "/note", kind: "card" },
    ]);
    assert.doesNotMatch(JSON.stringify(log), /4111|alice/);
  });

  test("that cannot do what it is told is refused when it is made", () => {
    assert.throws(() => new PiiGuard({ mode: "hide" as never }), /mode 'hide': use refuse, mask, report/);
    assert.throws(() => new PiiGuard({ mode: "mask" }), /mode 'mask' needs the schema/);
    assert.throws(() => new PiiGuard({ mode: "refuse", kind: [] } as never), /kind/);
  });
});
