// Durable runs on the Inspector's page: what is known of one, going on with it, who may.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { KeptRun } from "../../../src/inspector/api/runs.js";
import { skipWithoutBrowser } from "../../support/browser.js";
import type { InspectorFixture } from "../../support/inspector-fixture.js";
import { RESUMED_RUN } from "../../support/inspector-fixture-kept.js";
import { continuedRuns } from "../../support/inspector-fixture-runs.js";
import { busyState } from "../../support/inspector-fixture-state.js";
import { inspectorPages } from "../../support/inspector-pages.js";

describe("the Inspector's page of kept runs", { skip: skipWithoutBrowser }, () => {
  const pages = inspectorPages();
  const opened = (place: string, state = busyState()) => pages.opened(state, { place });
  const resumptions = ({ asked }: InspectorFixture) =>
    asked.filter(({ method, path }) => method === "POST" && path.endsWith("/resume"));

  test("lists those that have not ended, and opens one by keys alone", async () => {
    const { reader } = await opened("");
    await reader.page.getByRole("table", { name: "Circuits" }).waitFor();
    await reader.page.keyboard.press("g");
    await reader.page.keyboard.press("k");
    const table = reader.page.getByRole("table", { name: "Durable runs" });
    await table.getByRole("row", { name: /place-order .* kept-stopped/ }).waitFor();
    assert.equal(await table.getByRole("row").count(), 1 + 5);
    await reader.page.keyboard.press("j");
    await reader.page.locator("tr[data-active]").waitFor();
    await reader.page.keyboard.press("Enter");

    await reader.page.getByRole("heading", { name: "Durable run of place-order" }).waitFor();
    assert.match(reader.page.url(), /#\/kept\/kept-stopped$/);
    await reader.close();
  });

  test("shows labels of runs, and lists those that have one", async () => {
    const state = busyState();
    state.runs.push(...continuedRuns(Date.now()));
    const { reader } = await opened("&/kept", state);
    const rowsOf = (name: string) => reader.page.getByRole("table", { name, exact: true }).getByRole("row");
    await rowsOf("Durable runs").getByRole("link", { name: "order 1047" }).click();
    await rowsOf("Durable runs").nth(2).waitFor({ state: "detached" });
    assert.match(reader.page.url(), /#\/kept\?label=order%3A1047$|#\/kept\?label=order:1047$/);
    assert.equal(await reader.page.getByLabel("Label").inputValue(), "order:1047");
    await reader.page.getByRole("link", { name: "kept-stopped" }).click();
    await reader.page.locator(".head").getByRole("link", { name: "order 1047" }).waitFor();

    await reader.page.goto(reader.page.url().replace(/#.*/, "#/runs?label=order:1047"));
    await rowsOf("Runs").getByRole("link", { name: "resumed-run" }).waitFor();
    assert.equal(await rowsOf("Runs").count(), 2);
    await reader.page.getByRole("link", { name: "resumed-run" }).click();
    await reader.page.locator(".head").getByRole("link", { name: "order 1047" }).waitFor();
    await reader.close();
  });

  test("says of one where it goes on, with which input, what it completed, and its log", async () => {
    const { reader } = await opened("&/kept/kept-stopped");
    await reader.button("Copy the trace's id").waitFor();
    await reader.sees("0af7651916cd43dd8448eb211c80319c");
    const known = reader.page.getByRole("region", { name: "State of the run" });
    await known.getByRole("link", { name: "reserve" }).waitFor();
    await known.getByRole("region", { name: "the input of reserve" }).getByText('"Ada"').waitFor();
    await known.getByText("Catalogue, Subtotal").waitFor();
    await known.getByRole("listitem").getByRole("link", { name: "price" }).waitFor();
    const log = reader.page.getByRole("table", { name: "Log" });

    assert.deepEqual(
      (await log.getByRole("row").allInnerTexts()).slice(1).map((row) => row.split("\t").slice(1)),
      [
        ["", "started at", "price"],
        ["50 ms", "checkpoint before", "rate"],
        ["38.0 s", "resumed at", "rate"],
        ["2 s", "checkpoint before", "reserve"],
      ].map((row) => row.map((text) => text.replace(/(?<=\d) /, "\u00a0"))),
    );
    await reader.close();
  });

  test("cancels one for a reason, after it has asked once", async () => {
    const { fixture, reader } = await opened("&/kept/kept-stopped");
    assert.ok(await reader.button("Cancel run").isDisabled());
    await reader.page.getByLabel("Reason").fill("ordered twice");
    await reader.button("Cancel run").click();
    await reader.button("Yes").click();
    await reader.sees("Cancelled and compensated.");

    const { path, body } = fixture.asked.find((one) => one.path.endsWith("/cancel")) ?? {};
    assert.deepEqual([path, body], ["/api/v1/runs/kept-stopped/cancel", { reason: "ordered twice" }]);
    await reader.close();
  });

  test("forgets one that has ended, after it has asked once, and shows the others", async () => {
    const { fixture, reader } = await opened("&/kept/kept-stopped");
    assert.equal(await reader.button("Forget").count(), 0);
    await reader.page.getByLabel("Reason").fill("ordered twice");
    await reader.button("Cancel run").click();
    await reader.button("Yes").click();
    await reader.button("Forget").click();
    await reader.sees("Forget the run? It is deleted with its history.");
    await reader.button("Yes").click();
    await reader.page.getByRole("table", { name: "Durable runs" }).waitFor();

    assert.equal(fixture.asked.filter(({ path }) => path === "/api/v1/runs/kept-stopped/forget").length, 1);
    assert.match(reader.page.url(), /#\/kept$/);
    await reader.close();
  });

  test("goes on with one that was stopped, after it has asked once, and says what came of it", async () => {
    const { fixture, reader } = await opened("&/kept/kept-stopped");
    await reader.button("Resume").click();
    await reader.sees("Resume in this server, at reserve?");
    assert.deepEqual(resumptions(fixture), []);
    await reader.button("Yes").click();

    const came = reader.page.getByRole("status", { name: "Result" });
    await came.getByText("Resumed and completed.").waitFor();
    await came.getByRole("region", { name: "the outcome" }).getByText("4200").waitFor();
    await reader.button("Resume").waitFor({ state: "detached" });
    assert.deepEqual(
      resumptions(fixture).map(({ path, body }) => [path, body]),
      [["/api/v1/runs/kept-stopped/resume", {}]],
    );
    await reader.close();
  });

  test("shows the steps of a run: done, at work since when, next, and how often each was begun", async () => {
    const state = busyState();
    const active = state.kept?.[1] as KeptRun;
    Object.assign(active, { entries: active.entries.slice(0, 3), node: "place-order/rate" });
    const { reader } = await opened("&/kept/kept-active", state);
    const steps = reader.page.getByRole("list", { name: "Steps of the run" }).getByRole("listitem");
    await steps.getByText("next").first().waitFor();
    const texts = (await steps.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));

    assert.equal(texts[0], "price done");
    assert.match(texts[1] ?? "", /^rate at work since (now|\d+ s ago), 2 attempts$/);
    assert.match(texts[2] ?? "", / next$/);
    await reader.close();
  });

  test("offers a run at work in a living process no Resume, and apart what takes it from there", async () => {
    const { fixture, reader } = await opened("&/kept/kept-active");
    const apart = reader.page.getByRole("group", { name: "Take the run from its process" });
    await apart.getByRole("button", { name: "Force resume" }).click();
    assert.equal(await reader.page.getByRole("button", { name: "Resume", exact: true }).count(), 0);
    await reader.sees(/^Resume here\? The process that runs it now stops/);
    await reader.button("Yes").click();

    await reader.sees("Resumed and completed.");
    assert.deepEqual(
      resumptions(fixture).map(({ body }) => body),
      [{ force: true }],
    );
    await reader.close();
  });

  test("says of a cancelled run who cancelled it and why, and offers to forget it alone", async () => {
    const { reader } = await opened("&/kept/kept-cancelled");
    await reader.sees(/^Cancelled by operator:3f2a 15.min ago: ordered twice$/);
    await reader.page.getByRole("table", { name: "Log" }).waitFor();
    assert.deepEqual(await reader.page.locator(".actions button").allInnerTexts(), ["Forget"]);
    await reader.close();
  });

  test("says of one that waits for what and until when, and sends it a signal", async () => {
    const { fixture, reader } = await opened("&/kept/kept-waiting");
    await reader.sees(/^Waits for approved or rejected, until .* \(in 59.min\)/);
    assert.ok(await reader.button("Send signal").isDisabled(), "it has no payload yet");
    assert.equal(await reader.button("Resume").count(), 0);
    await reader.page.getByLabel("Signal", { exact: true }).selectOption("rejected");
    await reader.page.getByLabel("Payload, as JSON").fill('{ "why": "dear" }');
    await reader.button("Send signal").click();
    await reader.sees("Send 'rejected'? The run takes it and continues.");
    await reader.button("Yes").click();
    await reader.sees("Sent. The run continues. Signal sent-1.");

    const sent = fixture.asked.find(({ path }) => path.endsWith("/signal"));
    assert.deepEqual(sent?.body, { name: "rejected", payload: { why: "dear" } });
    await reader.close();
  });

  test("wakes one that sleeps", async () => {
    const { fixture, reader } = await opened("&/kept/kept-sleeping");
    await reader.button("Wake").click();
    await reader.button("Yes").click();
    await reader.sees("Woken. The run continues.");

    assert.ok(fixture.asked.some(({ path }) => path === "/api/v1/runs/kept-sleeping/wake"));
    await reader.close();
  });

  test("cancels the chosen runs after their number was shown, with a result for each", async () => {
    const { fixture, reader } = await opened("&/kept");
    await reader.page.getByLabel("Select kept-stopped").check();
    await reader.page.getByLabel("Select kept-active").check();
    await reader.sees("2 of 5 selected");
    assert.ok(await reader.button("Cancel 2").isDisabled(), "it has no reason yet");
    await reader.page.getByLabel("Reason").fill("wrong price");
    // A run at work in a living process is not resumed.
    await reader.button("Resume 1").waitFor();
    await reader.button("Cancel 2").click();
    await reader.sees(/^Cancel 2.rows, one after the other\? Their completed steps are compensated\.$/);
    await reader.button("Yes").click();
    const table = reader.page.getByRole("table", { name: "Durable runs" });
    await table.getByText("Cancelled and compensated.").nth(1).waitFor();

    const cancels = fixture.asked.filter(({ path }) => path.endsWith("/cancel"));
    assert.deepEqual(
      cancels.map(({ path, body }) => [path, body]),
      ["kept-stopped", "kept-active"].map((id) => [`/api/v1/runs/${id}/cancel`, { reason: "wrong price" }]),
    );
    await reader.close();
  });

  test("lists hosts with lease, last beat, versions and runs", async () => {
    const { reader } = await opened("&/hosts");
    const table = reader.page.getByRole("table", { name: "Hosts" });
    await table
      .getByRole("row", { name: /orders-7c9f 4711 shop 2\.3\.1 .* 1 place-order 1\.4\.0/ })
      .waitFor();
    await table.getByRole("row", { name: /gone unknown ended/ }).waitFor();
    await reader.sees("1 living host");
    await reader.close();
  });

  test("offers force only where the server says that somebody may be at the run", async () => {
    const state = busyState();
    for (const run of state.kept ?? []) Object.assign(run, { owner: null });
    const { fixture, reader } = await opened("&/kept/kept-active", state);
    await reader.button("Resume").waitFor();
    assert.equal(await reader.button("Force resume").count(), 0);
    await reader.button("Resume").click();
    await reader.button("Yes").click();
    await reader.page.getByRole("alert").getByText("The run may be active").waitFor();
    await reader.button("Force resume").click();
    await reader.sees(/^Resume here\? The process that runs it now stops/);
    await reader.button("Yes").click();

    await reader.sees("Resumed and completed.");
    assert.deepEqual(
      resumptions(fixture).map(({ body }) => body),
      [{}, { force: true }],
    );
    await reader.close();
  });

  test("says of one of which no answer came that it may have gone on", async () => {
    const { fixture, reader } = await opened("&/kept/kept-stopped");
    await reader.button("Resume").click();
    await fixture.stop();
    await reader.button("Yes").click();
    await reader.page
      .getByRole("alert")
      .getByText("The result is unknown. Check before you try again.")
      .waitFor();

    reader.complaints.length = 0;
    await reader.close();
  });

  test("offers no force for a run that is over meanwhile", async () => {
    const state = busyState();
    const { reader } = await opened("&/kept/kept-stopped", state);
    await reader.button("Resume").click();
    // Between what is on screen and the press somebody else has ended it.
    Object.assign(state.kept?.[0] as object, { state: "failed" });
    await reader.button("Yes").click();

    await reader.page.getByRole("alert").getByText("The run has ended").waitFor();
    assert.equal(await reader.button("Force resume").count(), 0);
    await reader.close();
  });

  test("shows a viewer everything, and lets a viewer resume nothing", async () => {
    const { reader } = await opened("&/kept/kept-stopped", { ...busyState(), role: "viewer" });
    await reader.page.getByText("viewer", { exact: true }).waitFor();
    await reader.page.getByRole("table", { name: "Log" }).waitFor();
    const button = reader.button("Resume");
    await reader.becomes(`document.querySelector(".actions button:disabled") !== null`);

    assert.equal(await button.getAttribute("title"), "Requires the operator's token");
    await reader.close();
  });

  test("hatches what a kept run waited for its checkpoints, beside the time of each node", async () => {
    const state = busyState();
    state.runs.push(...continuedRuns(Date.now()));
    const { reader } = await opened(`&/runs/${RESUMED_RUN}`, state);
    const timeline = reader.page.getByRole("table", { name: `Timeline of run ${RESUMED_RUN}` });
    await timeline.waitFor();
    const rows = timeline.locator(".visit");
    const hatched = timeline.getByTitle(/^The run waited for its checkpoint, no time of the node, /);
    assert.equal(await hatched.count(), (await rows.count()) + 1, "before each node, and at the end");
    assert.match(
      await hatched.first().evaluate((piece) => getComputedStyle(piece).backgroundImage),
      /^repeating-linear-gradient/,
    );
    const work = await rows.first().locator(".work").boundingBox();
    const wait = await hatched.first().boundingBox();
    assert.ok(wait !== null && work !== null && wait.x + wait.width <= work.x + 1, "before it is entered");
    await reader.sees(/of it waiting for its log or a lock/);
    await reader.close();
  });

  test("says plainly that no circuit keeps its runs, or that no store keeps this one", async () => {
    const none = await opened("&/kept", { ...busyState(), kept: undefined });
    await none.reader.sees("No circuit of this server keeps its runs: withPersistenceStore does");
    assert.equal(await none.reader.page.getByRole("table").count(), 0);
    assert.equal(await none.reader.page.getByRole("alert").count(), 0);
    await none.reader.close();

    const { reader } = await opened("&/kept/another");
    await reader.sees("No such run in the stores of this server.");
    await reader.close();
  });
});
