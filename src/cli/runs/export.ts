import { type FileHandle, open, rm } from "node:fs/promises";

import type { RunListFilter } from "#core/ports/run-list.js";
import { type RunEntry, type RunStore, UnreadableLog } from "#core/ports/run-store.js";
import type { Json } from "#core/wire/json-text.js";
import { visible } from "#core/wire/visible-text.js";
import { runPage } from "#runtime/hosting/listed-runs.js";
import { axonId, egressId } from "#runtime/run/node-id.js";
import { axonsIn, ingressIn } from "../application/program-export.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";
import { drawnIn } from "./drawn-in.js";
import { maskedEntry, type RedactorOf } from "./masked.js";
import { withStores } from "./opened.js";
import { filterIn, wholeIn } from "./options.js";

const DEFAULT_LIMIT = 1000;
const PAGE = 500;

type EntryOf = (axon: string, entry: RunEntry) => Json;

/** A line of JSON for each run: { run_id, axon, entries }. A log that cannot be read is named on stderr. */
export async function runsExport(given: Given, surroundings: Surroundings): Promise<number> {
  const { out, err } = surroundings;
  const filter = filterIn(given, wholeIn(given, "limit", DEFAULT_LIMIT));
  const [module] = given.operands;
  const to = given.text("to");
  const isPlain = given.flag("unmasked");
  const entryOf: EntryOf = isPlain ? (_, entry) => entry as unknown as Json : await maskedBy(module, given);
  const use = async (runs: RunStore): Promise<number> => {
    const file = to === undefined ? undefined : await newFile(to);
    const progress = progressLine(surroundings);
    const counts = { written: 0, unread: 0 };
    try {
      for await (const id of idsOf(runs, filter)) {
        const line = await lineOf(runs, id, entryOf).catch((error: unknown) => {
          if (!(error instanceof UnreadableLog)) throw error;
          err(`run '${visible(id)}' is left out: ${visible(error.message)}\n`);
          counts.unread += 1;
        });
        if (line === undefined) continue;
        counts.written += 1;
        progress.show(`${counts.written} runs`);
        if (file === undefined) out(line);
        else await file.appendFile(line);
      }
    } catch (error) {
      // A part would pass for the whole, and the next export needs a new file.
      if (to !== undefined) await rm(to);
      throw error;
    } finally {
      progress.end();
      await file?.close();
    }
    const where = to === undefined ? "on stdout" : `in ${to}, readable by its owner only`;
    err(`runs: ${counts.written}, ${where}${isPlain ? ", with their values" : ""}\n`);
    return counts.unread === 0 ? 0 : 1;
  };
  return withStores(
    given,
    surroundings,
    ({ stores, isProduction }) => {
      if (isPlain && isProduction && !given.flag("yes"))
        throw new UsageError("nothing was exported: --unmasked in production needs --yes");
      return use(stores.runs);
    },
    err,
  );
}

const newFile = (file: string): Promise<FileHandle> =>
  open(file, "wx", 0o600).catch((cause) => {
    throw new CommandError(`${file} cannot be made: it must be a new file in a folder that exists`, {
      cause,
    });
  });

async function* idsOf(runs: RunStore, { limit, ...filter }: RunListFilter): AsyncGenerator<string> {
  let left = limit;
  let cursor: string | undefined;
  do {
    const page = await runPage([runs], { ...filter, limit: Math.min(left, PAGE) }, cursor);
    for (const { run } of page?.runs ?? []) yield run.id;
    left -= page?.runs.length ?? 0;
    cursor = page?.cursor;
  } while (cursor !== undefined && left > 0);
}

/** Undefined for a run that was forgotten meanwhile. */
async function lineOf(runs: RunStore, run_id: string, entryOf: EntryOf): Promise<string | undefined> {
  const entries = await runs.read(run_id);
  const [first] = entries;
  if (first?.kind !== "begun") return undefined;
  const { axon } = first;
  return `${JSON.stringify({ run_id, axon, entries: entries.map((entry) => entryOf(axon, entry)) })}\n`;
}

/** With a module the marks of its schemas mask too, each at its node. */
async function maskedBy(module: string | undefined, given: Given): Promise<EntryOf> {
  if (module === undefined) return (_, entry) => maskedEntry(entry);
  const axons = await axonsIn(module);
  const nodes = drawnIn(await ingressIn(module, given.text("export"), axons.length > 0), axons);
  return (axon, entry) => {
    const end = egressId(axonId(axon));
    const redactorOf: RedactorOf = (node, side) =>
      node === "" ? nodes.redactor(axon, end, "input") : nodes.redactor(axon, node, side);
    return maskedEntry(entry, redactorOf);
  };
}
