// What the Inspector's page counts beside the names of its views.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../../support/browser.js";
import { busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";
import type { InspectorReader } from "../../support/inspector-reader.js";

describe("a number beside a view's name", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();
  const badge = ({ page }: InspectorReader, view: string, text: string) =>
    page
      .getByRole("navigation", { name: "Views" })
      .getByRole("link", { name: `${view} ${text}`, exact: true })
      .waitFor();

  test("counts a node that stalls and the alert that it raised once", async () => {
    const state = busyState();
    const [stall] = state.stalls;
    const [rate] = state.alerts;
    assert.ok(stall !== undefined && rate !== undefined);
    state.stalls = ["run-1", "run-2", "run-3"].map((run_id) => ({ ...stall, run_id }));
    const { node, circuit } = stall;
    const raised = { ...rate, kind: "stall", key: `stall:${node}`, node, circuit } as const;
    state.alerts = [...state.alerts, raised];
    const { fixture, reader } = await opened(state);
    await fixture.listened();
    // The error rate and the node.
    await badge(reader, "Alerts", "2");

    fixture.emit([{ ...stall, kind: "stall_detected", stall: { ...stall, node: "checkout/pay" } }] as never);
    await badge(reader, "Alerts", "3");
    const over = { ...raised, state: "resolved", resolved_at: Date.now() };
    fixture.emit([
      ...state.stalls.map((one) => ({ ...one, kind: "stall_ended" })),
      { kind: "alert", alert: over },
    ] as never);
    await badge(reader, "Alerts", "2");
    await reader.close();
  });

  test("is of dead letters without that they are sent", async () => {
    const state = busyState();
    const [letter] = state.letters;
    assert.ok(letter !== undefined);
    state.letters = Array.from({ length: 1234 }, (_, n) => ({ ...letter, id: `dl-${n}` }));
    const { fixture, reader } = await opened(state);
    await badge(reader, "Dead letters", "99+");
    await reader.page.getByTitle(/^1234 waiting$/).waitFor();
    // However often it asked meanwhile.
    const limits = fixture.asked
      .filter(({ path }) => path.endsWith("/dlq"))
      .map(({ query }) => query.get("limit"));
    assert.deepEqual([...new Set(limits)], ["1"]);

    await reader.view("Dead letters");
    await reader.sees(/^500\sletters, of the oldest 500 of 1234$/);
    await reader.close();
  });

  test("says of dead letters that a store does not count that there are more", async () => {
    const state = busyState();
    const [letter] = state.letters;
    assert.ok(letter !== undefined);
    state.countsLetters = false;
    const { fixture, reader } = await opened(state);
    await badge(reader, "Dead letters", "3");
    fixture.state.letters = Array.from({ length: 51 }, (_, n) => ({ ...letter, id: `dl-${n}` }));
    await reader.page.reload();
    await badge(reader, "Dead letters", "50+");
    await reader.page.getByTitle("50+ waiting").waitFor();
    await reader.close();
  });
});
