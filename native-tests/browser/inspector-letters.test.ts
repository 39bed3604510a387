// Dead letters on the Inspector's page whose work takes longer than its answer.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { skipWithoutBrowser } from "../support/browser.js";
import { busyState } from "../support/inspector-fixture-state.js";
import { inspectorPages } from "../support/inspector-pages.js";

describe("the Inspector's page of dead letters", { skip: skipWithoutBrowser }, () => {
  const pages = inspectorPages();

  test("says that one is running, where it may be held, and no more once it has failed again", async () => {
    const state = busyState();
    const [letter = assert.fail()] = state.letters;
    state.letters = [{ ...letter, id: "dl-slow" }];
    const { reader } = await pages.opened(state, { place: "&/dead" });
    const row = reader.page.getByRole("table", { name: "Dead letters" }).getByRole("row").nth(1);
    await row.getByRole("button", { name: "Re-drive" }).click();
    await row.getByRole("button", { name: "Yes" }).click();
    await row.getByText("running: it takes long, or is held").waitFor();

    await row.getByRole("link").first().click();
    const drawer = reader.page.getByRole("complementary", { name: "Dead letter dl-slow" });
    await drawer.getByRole("link", { name: "breakpoint" }).waitFor();
    state.letters = [{ ...letter, id: "dl-slow", attempts: letter.attempts + 1 }];
    await row.getByText("running").waitFor({ state: "detached" });
    assert.equal(await drawer.getByText("running").count(), 0);
    await reader.close();
  });
});
