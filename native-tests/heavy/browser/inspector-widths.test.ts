// The Inspector's page on screens of several widths: nothing vanishes, and what goes on beyond a border shows it.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../../support/browser.js";
import { busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";
import type { InspectorReader } from "../../support/inspector-reader.js";

interface Attributed {
  getAttribute(name: string): string | null;
}

describe("the Inspector's page", { skip: skipWithoutBrowser }, () => {
  const { opened } = inspectorPages();
  const fits = (element: unknown) =>
    (element as { scrollWidth: number }).scrollWidth <= (element as { clientWidth: number }).clientWidth;

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

  for (const width of [375, 800, 1280, 1600])
    test(`has each column of a table in the table, and no view wider than itself, ${width} pixels wide`, () =>
      reading(width, busyState(), "&/runs", async (reader) => {
        for (const view of ["Runs", "Live", "Breakpoints", "Dead letters", "Alerts", "Overview"]) {
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

  for (const width of [375, 900])
    test(`places a drawer below what it is about, ${width} pixels wide`, () =>
      reading(width, busyState(), "&/dead", async ({ page }) => {
        const row = page.getByRole("table", { name: "Dead letters" }).locator("tbody tr[data-row]").last();
        await row.click({ position: { x: 44, y: 4 } });
        const drawer = await page.getByRole("complementary").boundingBox();
        await page.locator('tr[aria-selected="true"]').waitFor();
        await page.waitForFunction(`(() => {
          const row = document.querySelector('tr[aria-selected="true"]').getBoundingClientRect();
          const drawer = document.querySelector("aside").getBoundingClientRect();
          return row.bottom <= drawer.top && row.top >= 0;
        })()`);
        assert.equal(Math.round((drawer?.x ?? 0) + (drawer?.width ?? 0)), width);
      }));

  test("leaves out columns of least worth where there is no room for all, says so, and shows them where they are wanted", () =>
    reading(800, busyState(), "&/breakpoints", async (reader) => {
      const { page } = reader;
      const table = page.getByRole("table", { name: "Breakpoints", exact: true });
      const titles = async () => (await table.getByRole("columnheader").allInnerTexts()).join();
      const box = page.locator(".table-box").filter({ has: table });
      await page.getByRole("row", { name: /reserve/ }).waitFor();
      assert.ok(await box.locator(".table").evaluate(fits));
      assert.equal(await titles(), "Node,Condition,Actions");

      const all = page.getByRole("button", {
        name: "+ 4 columns: all columns of Breakpoints",
        exact: true,
        pressed: false,
      });
      assert.equal(await all.innerText(), "+ 4\u00a0columns");
      const below = (await all.boundingBox()) ?? assert.fail();
      const shown = (await table.boundingBox()) ?? assert.fail();
      assert.ok(below.y >= shown.y + shown.height, "it covers no row");
      assert.ok(below.height >= 24, "it is large enough to be hit");
      assert.equal(await table.getAttribute("aria-colcount"), "7");
      const indices = await table
        .locator("th")
        .evaluateAll((all) => all.map((one) => (one as unknown as Attributed).getAttribute("aria-colindex")));
      assert.deepEqual(indices, ["1", "2", "7"]);
      await all.press("Enter");
      assert.equal(await titles(), "Node,Condition,Mode,Hits,Not held,State,Actions");
      assert.equal(await table.getAttribute("aria-colcount"), null);
      await page.locator(".table-box.more-right:not(.more-left)").waitFor();
      // By the keyboard to the other end, where nothing seems to go on any more.
      await page.getByRole("region", { name: "Breakpoints, scrolls sideways" }).focus();
      assert.ok(
        await page
          .getByRole("region", { name: "Breakpoints, scrolls sideways" })
          .evaluate((element) => element.matches(":focus")),
      );
      const isAtEnd = page.locator(".table-box.more-left:not(.more-right)");
      for (let n = 0; n < 100 && (await isAtEnd.count()) === 0; n++) await page.keyboard.press("ArrowRight");
      await isAtEnd.waitFor();

      await page
        .getByRole("button", { name: "− 4 columns: all columns of Breakpoints", exact: true, pressed: true })
        .press("Enter");
      assert.equal(await titles(), "Node,Condition,Actions");
      assert.equal(await page.getByRole("region", { name: /scrolls sideways/ }).count(), 0);
    }));

  test("moves nothing from under the pointer when a row takes the focus", () =>
    reading(800, busyState(), "&/runs", async (reader) => {
      const { page } = reader;
      const table = page.getByRole("table", { name: "Runs", exact: true });
      await reader.sees("refreshes every 3 s");
      const top = async () => (await table.boundingBox())?.y;
      const before = await top();
      const box =
        (await page
          .getByRole("checkbox", { name: /^Compare run/ })
          .nth(1)
          .boundingBox()) ?? assert.fail();
      await page.mouse.move(box.x + 7, box.y + 7);
      await page.mouse.down();
      await reader.sees("paused while a row is read");
      assert.equal(await top(), before);
      await page.mouse.up();

      // Marked, and not opened.
      await page.waitForURL(/#\/runs\?mark=/);
      assert.equal(await top(), before);
    }));

  test("shows long values whole: lines that are wrapped, and in the table of a run's Bus a part that scrolls", () => {
    const state = busyState();
    const [letter] = state.letters;
    assert.ok(letter !== undefined);
    const words = Array.from({ length: 60 }, (_, n) => `word${n}`);
    const value = { text: words.join("-"), words };
    state.letters = [{ ...letter, input: { kind: "full", value, is_cut: false } }];
    return reading(1280, state, `&/dead?letter=${letter.id}`, async (reader) => {
      const { page } = reader;
      const input = page.getByRole("complementary").locator("pre").first();
      await input.waitFor();
      assert.ok(await input.evaluate(fits));

      const run = state.runs[0]?.run_id;
      await page.route(new RegExp(`/traces/${run}$`), async (route) => {
        const response = await route.fetch();
        const answer = (await response.json()) as { data: { bus: { key: string; value: unknown }[] } };
        for (const access of answer.data.bus) access.value = { kind: "full", value, is_cut: false };
        await route.fulfill({ response, json: answer });
      });
      await page.goto(`${page.url().split("#")[0]}#/runs/${run}?tab=steps`);
      const shown = page.getByRole("table", { name: "Bus reads and writes" }).getByRole("region").first();
      await shown.waitFor();
      assert.ok(((await shown.boundingBox())?.height ?? 0) <= 120);
      await shown.focus();
      await page.keyboard.press("End");
      await reader.becomes("document.activeElement.scrollTop > 0");
    });
  });

  test("has all columns of a table where there is room, and fewer beside a drawer", () =>
    reading(1280, busyState(), "&/dead", async (reader) => {
      const { page } = reader;
      const tried = page.getByRole("columnheader", { name: "Attempts" });
      await tried.waitFor();
      assert.equal(await page.getByRole("button", { name: /all columns/ }).count(), 0);
      const row = page.getByRole("row", { name: /reserve/ }).first();
      const top = async () => (await row.boundingBox())?.y;
      const before = await top();
      await page
        .getByRole("link", { name: /reserve/ })
        .first()
        .click();
      await page.getByRole("complementary").waitFor();
      await tried.waitFor({ state: "detached" });
      await page.getByRole("button", { name: /all columns/ }).waitFor();
      assert.equal(await top(), before, "a second click hits the same row");
      await page.keyboard.press("Escape");
      await tried.waitFor();
    }));

  for (const width of [375, 768, 1280, 1920])
    test(`breaks a circuit into rows of its width, with every figure whole, ${width} pixels wide`, () =>
      reading(width, busyState(), "&/circuits/checkout?open=checkout%2Fpay", async ({ page }) => {
        await page.getByRole("group", { name: "Schematic of checkout" }).waitFor();
        await page.locator(".schematic:not(.more-right):not(.more-left)").waitFor();
        const cut =
          await page.evaluate(`[...document.querySelectorAll(".node .values span, .slim a > :last-child")]
          .filter((one) => {
            const [inner, outer] = [one, one.closest(".node")].map((of) => of.getBoundingClientRect());
            return one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0
              || inner.right > outer.right || inner.left < outer.left;
          }).map((one) => one.textContent)`);
        assert.deepEqual(cut, []);
        assert.equal(
          await page.evaluate("getComputedStyle(document.querySelector('.node a')).fontSize"),
          "13px",
        );
      }));

  test("sorts the nodes of a circuit by a figure, and selects row and box as one", () =>
    reading(1280, busyState(), "&/circuits/place-order", async ({ page }) => {
      const table = page.getByRole("table", { name: "Nodes" });
      await table.getByRole("button", { name: "p99" }).click();
      await table
        .getByRole("columnheader", { name: "p99" })
        .and(page.locator("[aria-sort=descending]"))
        .waitFor();
      const first = table.locator("tbody tr").first();
      assert.match(await first.innerText(), /^reserve/);
      await first.click();

      await page.getByRole("complementary", { name: "Node reserve" }).waitFor();
      await page.locator('.node a[aria-current][data-node="place-order/reserve"]').waitFor();
      await page.locator('.node a[data-node="place-order/price"]').click();
      await table.locator('tr[aria-selected="true"]').filter({ hasText: "price" }).waitFor();
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
