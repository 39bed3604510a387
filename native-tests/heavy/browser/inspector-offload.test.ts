// The Inspector's page on steps that hold the event loop.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../../support/browser.js";
import { busyState, largeState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";
import type { InspectorReader } from "../../support/inspector-reader.js";

const TITLE = "Could be offloaded";

describe("the Overview of the Inspector's page", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();
  const tableOf = ({ page }: InspectorReader) => page.getByRole("table", { name: TITLE, exact: true });

  test("lists steps that could be offloaded, with the cost of crossing and the gain, and leads to each", async () => {
    const { reader } = await opened(busyState());
    await tableOf(reader).waitFor();
    const rows = await tableOf(reader).locator("tbody tr").allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.replaceAll("\u00a0", " ").split("\t")),
      [
        ["checkout · bicycle", "18.2k", "98 %", "18.4 ms", "71.3 ms", "18.3 ms"],
        ["place-order · price", "98.2k", "6.2 %", "412 µs", "9.87 ms", "312 µs"],
        ["list-products · render", "0", "–", "–", "60 ms", "–"],
      ],
    );
    await reader.sees(/crossing costs 100\sµs per call \(default, not measured\)/);
    await reader.page.getByRole("link", { name: "checkout · bicycle", exact: true }).click();
    await reader.page.waitForURL(/#\/circuits\/checkout\?node=checkout%2Fbicycle/);
    await reader.close();
  });

  test("shows nothing of them where there are none, and what is wrong where they cannot be had", async () => {
    const state = busyState();
    state.longSteps = [];
    const { reader } = await opened(state);
    await reader.page.getByRole("table", { name: "Circuits", exact: true }).waitFor();
    assert.equal(await reader.page.getByText(TITLE).count(), 0);

    state.broken = ["/api/v1/offload"];
    await reader.sees("The store could not be read");
    await reader.page.getByRole("table", { name: "Circuits", exact: true }).waitFor();
    await reader.close();
  });

  test("keeps room for many circuits above many steps", async () => {
    const state = busyState();
    const [load] = largeState(3).loads;
    assert.ok(load !== undefined);
    state.loads = Array.from({ length: 260 }, (_, n) => ({
      ...load,
      schematic: { ...load.schematic, name: `c${n}` },
    }));
    const [step] = state.longSteps;
    assert.ok(step !== undefined);
    state.longSteps = Array.from({ length: 50 }, (_, n) => ({ ...step, node: `checkout/${n}` }));
    const { reader } = await opened(state);
    await tableOf(reader).waitFor();

    const circuits = reader.page
      .locator(".table-box")
      .filter({ has: reader.page.getByRole("link", { name: "c0" }) });
    assert.ok(((await circuits.boundingBox())?.height ?? 0) >= 240);
    await reader.close();
  });
});
