// What the Inspector's page calls things, and where their names lead.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../../support/browser.js";
import { busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";

describe("a name in the Inspector's page", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();

  test("is of a node in its circuit, in the feed and in alerts, and not the circuit's twice", async () => {
    const state = busyState();
    const [rate] = state.alerts;
    assert.ok(rate !== undefined);
    state.alerts = [{ ...rate, node: "place-order/accept" }];
    const { fixture, reader } = await opened(state, { place: "&/live" });
    await fixture.listened(2);
    const at = { run_id: "run-1", circuit: "place-order", node: "place-order/accept" };
    fixture.emit([
      { ...at, kind: "event", name: "order.accepted" },
      { ...at, kind: "stall_ended", stalled_ms: 3000 },
    ] as never);
    for (const what of ["emitted", "stall ended"])
      await reader.page.getByRole("row", { name: new RegExp(`${what} place-order · accept`) }).waitFor();

    await reader.view("Alerts");
    await reader.page.getByRole("link", { name: "place-order · accept", exact: true }).waitFor();
    await reader.close();
  });

  test("is the same for the end of a run in its timeline, its payloads and a comparison", async () => {
    const state = busyState();
    const [a, b] = state.runs.filter(({ fault }) => fault === null).map(({ run_id }) => run_id);
    const { reader } = await opened(state);
    const { page } = reader;
    type Node = { kind: string; node: string; label: string } | null;
    // The fixture's runs are not timed to their end.
    await page.route(/\/traces\//, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { data: { nodes?: Node[]; steps?: { a: Node; b: Node }[] } };
      const { nodes = [], steps = [] } = answer.data;
      for (const node of [nodes.at(-1), steps.at(-1)?.a, steps.at(-1)?.b])
        if (node) Object.assign(node, { kind: "Egress", node: "place-order:out", label: "place-order" });
      await route.fulfill({ response, json: answer });
    });
    await page.goto(`${page.url().split("#")[0]}#/runs/${a}`);
    await page
      .getByRole("table", { name: /^Timeline/ })
      .getByRole("button", { name: /^output,/ })
      .click();
    await page.getByRole("heading", { name: "output", exact: true }).waitFor();
    await page.goto(`${page.url().split("#")[0]}#/compare/${a}/${b}`);

    const steps = page.getByRole("table", { name: "Steps of both runs" });
    await steps.getByRole("row").last().getByText("output", { exact: true }).first().waitFor();
    await reader.close();
  });

  test("leads from an alert of dead letters to those of its step, however many others are older", async () => {
    const state = busyState();
    const [rate] = state.alerts;
    const [letter] = state.letters;
    assert.ok(rate !== undefined && letter !== undefined);
    const others = Array.from({ length: 600 }, (_, n) => ({
      ...{ ...letter, id: `dl-other-${n}` },
      ...{ node: "place-order/price", label: "price" },
    }));
    state.letters = [...others, letter];
    state.alerts = [{ ...rate, kind: "dead_letter", node: letter.node }];
    const { reader } = await opened(state, { place: "&/alerts" });
    await reader.page.getByRole("main").getByRole("link", { name: "Dead letters" }).click();
    await reader.sees(/^1\sletter$/);

    await reader.page.getByRole("row", { name: /place-order · reserve/ }).waitFor();
    for (const filter of ["node", "circuit"]) await reader.button(`Remove filter ${filter}`).click();
    await reader.sees(/^500\sletters, of the oldest 500 of 601$/);
    await reader.page.getByRole("searchbox", { name: "Filter" }).fill("reserve");
    await reader.sees("No match in the oldest 500");
    await reader.close();
  });
});
