import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, busKey, DlqPolicy, Framework, guard, param, pass, type Report } from "framework";
import type { AnyGuard } from "framework/core";
import { TestApp } from "framework/http";
import { MemoryDeadLetters } from "framework/runtime";

const Rate = busKey<number>()("Rate");
const Berth = busKey<string>()("Berth");
const Tide = busKey<number>()("Tide");
const Skipper = busKey<string>()("Skipper");

const reportsOf = (axon: ReturnType<typeof moor>, guards: readonly AnyGuard[] = []): readonly Report[] => {
  const reports: Report[] = [];
  const ingress = Framework.http({ resources: [Rate], reporter: (report) => reports.push(report) });
  new TestApp(ingress.provide(Tide, () => 4).post("/berths/:id", axon, { guards }), { Rate: 2 });
  return reports;
};

const moor = () =>
  Axon.start("moor")
    .thenFn("look up", { uses: { id: param("id") }, sets: { berth: Berth } }, (_, bus) => {
      bus.berth = bus.id;
    })
    .thenFn("charge", { uses: { rate: Rate, berth: Berth } }, (_, bus) => bus.rate)
    .thenFn("tell", { uses: { id: param("id") } }, (_, bus) => bus.id);

describe("an Axon with dead letters, when it is mounted", () => {
  test("is warned of for each step that reads what only a request has", () => {
    const [report, ...others] = reportsOf(moor().withDlqSink(new MemoryDeadLetters()));

    assert.deepEqual([others, report?.code, report?.axon], [[], "REDRIVE_NEEDS_REQUEST", "moor"]);
    assert.match(
      report?.message ?? "",
      /no request: 'param:id' for step 'look up' of Axon 'moor' \(no step writes it\); 'param:id' for step 'tell' of Axon 'moor' \(no step writes it\)\. Copy/,
    );
  });

  test("is warned of what a guard of the route writes, and of values that are provided for a request", () => {
    const signedIn = guard({
      name: "signed-in",
      sets: { skipper: Skipper },
      run(input, bus) {
        bus.skipper = "Morag";
        return pass(input);
      },
    });
    const axon = Axon.start("sail")
      .thenFn("wait", { uses: { tide: Tide } }, (_, bus) => bus.tide)
      .thenFn("sail", { uses: { skipper: Skipper } }, (_, bus) => bus.skipper)
      .withDlqSink(new MemoryDeadLetters());

    assert.match(
      reportsOf(axon as never, [signedIn])[0]?.message ?? "",
      /'Tide' for step 'wait' .*; 'Skipper' for step 'sail' /,
    );
  });

  test("is not where it keeps no letters, or its steps read resources and each other's keys", () => {
    assert.deepEqual(reportsOf(moor()), []);
    assert.deepEqual(
      reportsOf(moor().withDlqSink(new MemoryDeadLetters()).withDlqPolicy(DlqPolicy.drop())),
      [],
    );
    const own = Axon.start("own")
      .thenFn("charge", { uses: { rate: Rate }, sets: { berth: Berth } }, (_, bus) => {
        bus.berth = String(bus.rate);
      })
      .thenFn("tell", { uses: { berth: Berth } }, (_, bus) => bus.berth)
      .withDlqSink(new MemoryDeadLetters());
    assert.deepEqual(reportsOf(own as never), []);
  });
});
