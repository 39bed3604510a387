import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

import { aligned } from "#config/aligned.js";
import type { Json } from "#core/wire/json-text.js";
import { visible } from "#core/wire/visible-text.js";
import type { DrawnNodes } from "#inspector/traces/drawn-nodes.js";
import { type AxonDefinition, oldVersionsOf } from "#runtime/definition/axon-definition.js";
import { Replayer, type StoredRun } from "#runtime/replay/replay-run.js";
import type { ReplayDifference, Replayed } from "#runtime/replay/replayed.js";
import { type OpenedProgram, withProgram } from "../../application/opened-program.js";
import { drawnIn } from "../../runs/drawn-in.js";
import { shownAt } from "../../runs/masked.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../../terminal/command.js";
import { progressLine } from "../../terminal/progress.js";

interface Told {
  readonly run_id: string;
  readonly axon: string;
  readonly replayed: Replayed;
}

export async function replay(given: Given, surroundings: Surroundings): Promise<number> {
  const [first, module] = given.operands;
  const sample = given.text("sample");
  if (first === undefined || module === undefined)
    throw new UsageError("framework replay takes RUN MODULE, or --sample N FILE MODULE; --help tells more");
  const count = sample === undefined ? undefined : sampleSize(sample);
  const set = valuesIn(given);
  // Before the module is imported. In the bundle it is apart: it wraps functions of Node.
  await (await import("#runtime/replay/refused-effects.js")).readyToRefuse();
  return withProgram(given, surroundings, { module, asksStores: count === undefined }, async (program) => {
    const replays = new Replays(program, set);
    const progress = progressLine(surroundings);
    const told: Told[] = [];
    try {
      for await (const run of count === undefined ? oneRun(first, program) : sampleOf(first, count)) {
        told.push(await replays.of(run));
        progress.show(`${told.length} runs replayed`);
      }
    } finally {
      progress.end();
    }
    const shown = new Shown(drawnIn(program.ingress, program.exported));
    const { out } = surroundings;
    if (given.flag("json")) out(`${JSON.stringify(told.map((each) => shown.data(each)))}\n`);
    else out(count === undefined ? told.map((each) => shown.one(each)).join("") : shown.all(told));
    return told.every(({ replayed }) => replayed.kind === "same") ? 0 : 1;
  });
}

function sampleSize(text: string): number {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new UsageError(`--sample ${visible(text)} is no number of runs: give one from 1 to 9999999`);
}

function valuesIn(given: Given): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    given.list("set").map((text) => {
      const at = text.indexOf("=");
      if (at < 1) throw new UsageError(`--set ${visible(text)} has no value: give KEY=JSON`);
      try {
        return [text.slice(0, at), JSON.parse(text.slice(at + 1)) as unknown];
      } catch {
        throw new UsageError(
          `the value of --set ${visible(text.slice(0, at))} is no JSON: a text takes quotes, as in '${visible(text.slice(0, at))}="gold"'`,
        );
      }
    }),
  );
}

async function* oneRun(id: string, { program }: OpenedProgram): AsyncGenerator<StoredRun> {
  for (const store of program.stores) {
    const entries = await store.read(id);
    if (entries.length === 0) continue;
    yield { run_id: id, entries };
    return;
  }
  throw new CommandError(`there is no run '${visible(id)}' in the store`);
}

/** Evenly spread over the file. */
async function* sampleOf(file: string, count: number): AsyncGenerator<StoredRun> {
  let total = 0;
  for await (const line of linesOf(file)) if (line !== "") total += 1;
  if (total === 0) throw new CommandError(`${visible(file)} has no runs: framework runs export writes them`);
  const share = Math.min(1, count / total);
  let at = 0;
  for await (const line of linesOf(file)) {
    if (line === "") continue;
    at += 1;
    if (Math.floor(at * share) === Math.floor((at - 1) * share)) continue;
    yield runIn(line, file, at);
  }
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  try {
    yield* lines;
  } catch (cause) {
    throw new CommandError(`${visible(file)} cannot be read`, { cause });
  }
}

function runIn(line: string, file: string, at: number): StoredRun {
  try {
    const run = JSON.parse(line) as Partial<StoredRun> | null;
    if (typeof run?.run_id === "string" && Array.isArray(run.entries)) return run as StoredRun;
  } catch {
    // The error names the line.
  }
  throw new CommandError(`line ${at} of ${visible(file)} is no run: framework runs export writes them`);
}

class Replays {
  readonly #axons: readonly AxonDefinition[];
  readonly #set: Readonly<Record<string, unknown>>;
  readonly #replayers = new Map<AxonDefinition, Replayer>();

  constructor({ program }: OpenedProgram, set: Readonly<Record<string, unknown>>) {
    this.#axons = program.axons;
    this.#set = set;
  }

  async of(run: StoredRun): Promise<Told> {
    const { run_id, entries } = run;
    const begun = entries.find((entry) => entry.kind === "begun");
    const axon = begun?.axon ?? "";
    const definition = this.#axonOf(axon, entries);
    if (definition === undefined) return { run_id, axon, replayed: this.#unknown(axon) };
    const replayer = this.#replayers.get(definition) ?? new Replayer(definition, { set: this.#set });
    this.#replayers.set(definition, replayer);
    return { run_id, axon, replayed: await replayer.replay(run_id, entries) };
  }

  /** Today's Axon, or the old one that completes the runs of this version. */
  #axonOf(axon: string, entries: StoredRun["entries"]): AxonDefinition | undefined {
    const current = this.#axons.find(({ name }) => name === axon);
    const last = entries.findLast((entry) => entry.kind === "begun" || entry.kind === "resumed");
    const version = last !== undefined && "version" in last ? last.version : undefined;
    return current && (oldVersionsOf(current).find((old) => old.version === version) ?? current);
  }

  #unknown(axon: string): Replayed {
    const reason = `the module has no Axon '${axon}' that keeps its runs`;
    return { kind: "refused", code: "REPLAY_REFUSED", reason, ran: [], given: [] };
  }
}

/** Differences told apart in the text of a sample. */
const MAX_KINDS = 20;

/** Results for people and programs. Their values are masked. */
class Shown {
  readonly #nodes: DrawnNodes;

  constructor(nodes: DrawnNodes) {
    this.#nodes = nodes;
  }

  data({ run_id, axon, replayed }: Told): object {
    if (replayed.kind !== "differs") return { run_id, axon, ...replayed };
    return { run_id, axon, ...replayed, difference: this.#masked(axon, replayed.difference) };
  }

  one({ run_id, axon, replayed }: Told): string {
    const { ran, given } = replayed;
    const head = `run ${visible(run_id)} of ${visible(axon)}`;
    const steps = aligned([
      ["  ran", counted(ran)],
      ["  given back", counted(given)],
    ]);
    return `${[`${head}: ${wordFor(replayed)}`, ...this.#details(axon, replayed), ...steps].join("\n")}\n`;
  }

  all(told: readonly Told[]): string {
    const kinds = new Map<string, Told[]>();
    for (const each of told) {
      const { replayed, axon } = each;
      if (replayed.kind === "same") continue;
      const key = JSON.stringify([axon, wordFor(replayed)]);
      kinds.set(key, [...(kinds.get(key) ?? []), each]);
    }
    const count = (kind: Replayed["kind"]): number =>
      told.filter(({ replayed }) => replayed.kind === kind).length;
    const lines = [...kinds.values()].slice(0, MAX_KINDS).flatMap((alike) => {
      const [{ run_id, axon, replayed }] = alike as [Told];
      return [
        `${alike.length} of ${visible(axon)}: ${wordFor(replayed)}`,
        `  such as run ${visible(run_id)}`,
        ...this.#details(axon, replayed),
      ];
    });
    const more =
      kinds.size > MAX_KINDS ? [`${kinds.size - MAX_KINDS} further kinds: --json has them all`] : [];
    const sum = `${told.length} runs: ${count("same")} the same, ${count("differs")} differ, ${count("refused")} could not be replayed`;
    return `${[...lines, ...more, sum].join("\n")}\n`;
  }

  #details(axon: string, replayed: Replayed): readonly string[] {
    if (replayed.kind === "refused") return [`  ${visible(replayed.reason)}`];
    if (replayed.kind === "same") return [];
    const { stored, now } = this.#masked(axon, replayed.difference);
    return aligned([
      ["  log", textOf(stored)],
      ["  now", textOf(now)],
    ]);
  }

  #masked(axon: string, { stored, now, ...difference }: ReplayDifference): ReplayDifference {
    const { node, of, pointer } = difference;
    // Names of nodes and signals are no values.
    const isName = of === "next" || of === "wait";
    const shown = (value: Json): Json =>
      isName ? value : shownAt(pointer, value, this.#nodes.redactor(axon, node, "output"));
    return {
      ...difference,
      ...(stored !== undefined && { stored: shown(stored) }),
      ...(now !== undefined && { now: shown(now) }),
    };
  }
}

function wordFor(replayed: Replayed): string {
  if (replayed.kind === "same") return replayed.isWhole ? "the same" : "the same, as far as its log goes";
  if (replayed.kind === "refused") {
    const { code, node } = replayed;
    return `${code}${node === undefined ? "" : ` at ${visible(node)}`}`;
  }
  const { node, of, pointer, entry } = replayed.difference;
  return `differs at ${visible(node)}, entry ${entry}: ${of}${pointer === "" ? "" : ` ${visible(pointer)}`}`;
}

const MAX_TEXT = 500;

function textOf(value: Json | undefined): string {
  const text = value === undefined ? "nothing" : visible(JSON.stringify(value));
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}

/** Each node once, with its number. */
function counted(nodes: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(node, (counts.get(node) ?? 0) + 1);
  const shown = [...counts].map(([node, n]) => `${visible(node)}${n > 1 ? ` (${n} times)` : ""}`);
  return shown.length === 0 ? "none" : shown.join(", ");
}
