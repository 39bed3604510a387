// The Inspector's page on screens of several widths: nothing vanishes, and what goes on beyond a border shows it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../support/browser.js";
import { busyState, largeState } from "../support/inspector-fixture-state.js";
import { inspectorPages } from "../support/inspector-pages.js";
import type { InspectorReader } from "../support/inspector-reader.js";

describe("the Inspector's page", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();

  async function reading(
    width: number,
    state: ReturnType<typeof busyState>,
    place: string,
    read: (reader: InspectorReader) => Promise<void>,
  ): Promise<void> {
    const { reader } = await opened(state, { place, viewport: { width, height: 700 } });
    await read(reader);
    await reader.close();
  }

  for (const width of [800, 1280, 1600])
    test(`has each column of a table in the table, and no view wider than itself, ${width} pixels wide`, () =>
      reading(width, busyState(), "&/runs", async (reader) => {
        for (const view of [
          "Runs",
          "Live",
          "Kept runs",
          "Breakpoints",
          "Dead letters",
          "Alerts",
          "Overview",
        ]) {
          await reader.view(view);
          await reader.page.locator("#view table th").first().waitFor();
          const thin = await reader.page.evaluate(`[...document.querySelectorAll("#view .table th")]
            .filter((one) => one.clientWidth < 40).map((one) => one.textContent)`);
          assert.deepEqual(thin, [], view);
          const wide =
            await reader.page.evaluate(`[...document.querySelectorAll("body, .view, .view > .head")]
            .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.className)`);
          assert.deepEqual(wide, [], view);
        }
      }));

  test("shows a whole circuit where that can be read", () =>
    reading(1600, busyState(), "&/circuits/place-order", async (reader) => {
      await reader.page.getByRole("group", { name: "Schematic of place-order" }).waitFor();
      await reader.page.locator(".schematic:not(.more-right):not(.more-below)").waitFor();
    }));

  test("shows where a circuit goes on, and fits it in by a key", () =>
    reading(1280, largeState(60), "&/circuits/large", async (reader) => {
      await reader.page.locator(".schematic.more-right:not(.more-left)").waitFor();
      const canvas = reader.page.locator(".schematic .canvas");
      await canvas.evaluate((element) => ((element as unknown as { scrollLeft: number }).scrollLeft = 200));
      await reader.page.locator(".schematic.more-right.more-left").waitFor();
      await reader.page.keyboard.press("f");

      await reader.page.locator(".schematic:not(.more-right):not(.more-left)").waitFor();
    }));

  test("has the drawer of a node above a circuit that it leaves no room for", () =>
    reading(800, busyState(), "&/circuits/place-order?node=place-order%2Fprice", async (reader) => {
      await reader.page.getByRole("complementary").waitFor();
      const box = await reader.page.locator(".canvas").boundingBox();
      assert.ok((box?.width ?? 0) > 500);
      await reader.page.keyboard.press("Escape");
      await reader.page.getByRole("complementary").waitFor({ state: "detached" });
    }));
});
