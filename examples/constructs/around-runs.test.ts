import assert from "node:assert/strict";
import { test } from "node:test";

import { Bus, isFault } from "framework";
import { AxonTestKit } from "framework/runtime";
import { codeOf, turn } from "../../native-tests/support/outcome-code.js";
import { drive, Loudspeaker } from "./aborts.js";
import { delivered, type Job } from "./advancing.js";
import { checkIn } from "./branches.js";
import { Customs, letters, ship, shipAgain } from "./dead-letters.js";
import { diagram, inWords } from "./drawings.js";
import { announce, Editor } from "./recorders.js";
import { refusals } from "./refusals.js";
import { resume, unload } from "./resuming.js";
import { reserve } from "./schemas.js";
import { HarbourFull, HarbourRadio, moor } from "./synapses.js";

test("a dead letter holds what a step got, and is done again from there", async () => {
  const customs = { isOpen: false, asked: 0 };
  const declare = () => {
    customs.asked += 1;
    return customs.isOpen ? "DE-17" : undefined;
  };
  const bus = Bus.of([[Customs, { declare }]]);

  assert.ok(isFault(await ship.execute({ to: "Mull", grams: 230 }, bus)));
  assert.equal(customs.asked, 3);
  const [letter, ...more] = letters.list();
  assert.deepEqual(
    [letter?.node, letter?.input, letter?.error, letter?.version, letter?.attempts, more.length],
    ["ship/declare", { to: "Mull", grams: 300 }, { kind: "customs-closed" }, "2.1.0", 1, 0],
  );

  assert.equal(await shipAgain(bus), 0);
  assert.equal(letters.list()[0]?.attempts, 2);
  customs.isOpen = true;
  assert.equal(await shipAgain(bus), 1);
  assert.deepEqual(letters.list(), []);
});

test("schemas refuse what comes in and what goes out", () => {
  assert.deepEqual(reserve.execute({ email: "ada@example.com", seats: 2 }), {
    code: "A-2",
    seats: 2,
    email: "ada@example.com",
  });
  assert.equal(codeOf(reserve.execute({ email: "ada@example.com", seats: 9 })), "INPUT_INVALID");
  assert.equal(codeOf(reserve.execute({ email: "1@example.com", seats: 2 })), "OUTPUT_INVALID");
});

test("a Synapse says what a failure of its service means, and is drawn as one", async () => {
  const radio = (berth: () => Promise<number>) => Bus.of([[HarbourRadio, { berth }]]);
  const ask = async (berth: () => Promise<number>) => moor.execute("Freya", radio(berth));

  assert.equal(await ask(async () => 7), "Moor at berth 7");
  assert.equal(codeOf(await ask(() => Promise.reject(new HarbourFull()))), "HARBOUR_FULL");
  assert.equal(codeOf(await ask(() => Promise.reject(new Error("static")))), "TRANSITION_PANIC");
  assert.ok(
    moor.schematic().nodes.some(({ kind, label }) => kind === "Synapse" && label === "request berth"),
  );
});

test("a recorder holds a run, changes what its node gets, and counts", async () => {
  const editor = new Editor();
  const running = new AxonTestKit({}, { recorder: editor }).run(announce, "Freya");
  await turn();
  const [held] = editor.waiting;
  assert.equal(held?.text, "The Freya is boarding");
  held?.approve("Please board the Freya");

  assert.equal((await running).outcome, '"Please board the Freya"');
  assert.deepEqual(
    [...editor.counts()],
    [
      ["announce/wording", 1],
      ["announce/speak", 1],
    ],
  );
});

test("a run begins where another stopped", async () => {
  assert.equal(await unload.execute({ containers: [20, 25] }), "45 t in 2 lifts");
  assert.equal(await resume({ node: "unload/lift", input: { tonnes: 91 } }), "91 t in 4 lifts");
  assert.throws(() => resume({ node: "unload/paint", input: {} }), { code: "AXON_NODE_UNKNOWN" });
});

test("a drawing has a line for each node and each edge, and explain() the same in words", () => {
  const { nodes, edges } = checkIn.schematic();

  assert.equal(diagram().split("\n").length, 1 + nodes.length + edges.length);
  assert.match(diagram(), /n1\["Atom: sort"\]/);
  assert.match(diagram(), /n1 -- lorry --> n2/);
  assert.match(inWords(), /1 sort {2}branches to lorry/);
});

test("an abort tells the step that waits, and lets no further one begin", async () => {
  const told: unknown[] = [];
  const call = (_: string, signal: AbortSignal) =>
    new Promise<void>(() => signal.addEventListener("abort", () => told.push(signal.reason)));
  const controller = new AbortController();
  const running = drive.execute("HH-1", Bus.of([[Loudspeaker, call]]), controller.signal);
  controller.abort("The ramp is up");

  assert.deepEqual([codeOf(await running), told], ["RUN_ABORTED", ["The ramp is up"]]);
  assert.equal(await drive.execute("HH-1", Bus.of([[Loudspeaker, async () => {}]])), "Go on, HH-1");
});

test("of what does not compile, what could never run is thrown for those who do not check types", () => {
  const thrown = Object.entries(refusals).flatMap(([mistake, make]) => {
    try {
      make();
      return [];
    } catch (error) {
      return [[mistake, (error as { readonly code: string }).code]];
    }
  });

  assert.deepEqual(Object.fromEntries(thrown), {
    "a key that nobody gives": "KEYS_UNPROVIDED",
    "a key that was deleted": "KEYS_UNPROVIDED",
    "a branch that nobody takes": "AXON_BRANCH_UNDECLARED",
    "a branch without an Axon, mounted": "AXON_BRANCH_OPEN",
    "a branch without an Axon, executed": "AXON_BRANCH_OPEN",
    "a jump to no label, mounted": "AXON_JUMP_UNRESOLVED",
    "a branch beside other steps": "AXON_STEP_INVALID",
  });
});

test("a queue brings a job to its end, one entry a delivery, and holds it back while its run sleeps", async () => {
  const waited: number[] = [];
  let job: Job = { id: "job-1", lorry: "KI-AB 12", log: [] };
  for (;;) {
    const next = await delivered(JSON.parse(JSON.stringify(job)));
    if (next.kind === "done") {
      assert.equal(next.outcome, "KI-AB 12 boards by lane 4");
      break;
    }
    waited.push(next.afterMs);
    job = next.job;
  }

  assert.deepEqual(waited, [60_000]);
  assert.deepEqual(
    job.log.map(({ kind }) => kind),
    ["begun", "waiting"],
  );
});

test("a job with a log that cannot be read stays in the queue", async () => {
  const log = [{ kind: "checkpoint", at: 0 }] as const;
  await assert.rejects(delivered({ id: "job-2", lorry: "x", log }), /Job job-2 cannot go on/);
});
