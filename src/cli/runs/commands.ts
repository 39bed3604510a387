import { randomUUID } from "node:crypto";

import { aligned } from "#config/aligned.js";
import { isReservedRunId } from "#core/ports/run-store.js";
import { visible } from "#core/wire/visible-text.js";
import { painter } from "../terminal/colour.js";
import { type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { acted } from "./acting.js";
import { atPlace } from "./opened.js";
import { filterIn, jsonIn, timesIn, wholeIn } from "./options.js";
import type { Action, Place } from "./place.js";
import { requireId, selectedIds } from "./selected.js";
import { letterRows, letterText, runRows, runText } from "./text.js";

export const runsList = (given: Given, surroundings: Surroundings): Promise<number> => {
  const filter = filterIn(given, wholeIn(given, "limit", 100, 500));
  return atPlace(given, surroundings, async (place) => {
    const page = await place.list(filter, given.text("cursor"));
    if (page === undefined) throw new UsageError("--cursor is not that of a page of this list");
    const { runs, cursor } = page;
    if (given.flag("json")) surroundings.out(`${JSON.stringify({ runs, cursor }, null, 2)}\n`);
    else {
      printed(runRows(runs), "no run is kept that fits", surroundings, (at) =>
        BAD.has(runs[at]?.state ?? ""),
      );
      if (cursor !== null) surroundings.out(`more: --cursor ${cursor}\n`);
    }
    return 0;
  });
};

const BAD: ReadonlySet<string> = new Set(["stuck", "unfit", "failed"]);

export const runsShow = (given: Given, surroundings: Surroundings): Promise<number> => {
  const id = onlyId(given);
  return atPlace(given, surroundings, async ({ show }) => {
    const run = await show(id);
    return shown(run, `there is no run '${visible(id)}'`, runText, given, surroundings);
  });
};

export const dlqList = (given: Given, surroundings: Surroundings): Promise<number> => {
  const [axon, limit] = [given.text("axon"), wholeIn(given, "limit", 100, 500)];
  const filter = { limit, ...timesIn(given), ...(axon !== undefined && { axon }) };
  return atPlace(given, surroundings, async (place) => {
    const letters = await place.letters(filter);
    if (given.flag("json")) surroundings.out(`${JSON.stringify(letters, null, 2)}\n`);
    else printed(letterRows(letters), "no dead letter is kept that fits", surroundings, () => false);
    return 0;
  });
};

export const dlqShow = (given: Given, surroundings: Surroundings): Promise<number> => {
  const id = onlyId(given);
  return atPlace(given, surroundings, async ({ letter }) => {
    const found = await letter(id);
    return shown(found, `there is no dead letter '${visible(id)}'`, letterText, given, surroundings);
  });
};

function shown<T>(
  found: T | undefined,
  missing: string,
  textOf: (found: T) => string,
  given: Given,
  { out, err }: Surroundings,
): number {
  if (found === undefined) {
    err(`framework: ${missing}\n`);
    return 1;
  }
  out(given.flag("json") ? `${JSON.stringify(found, null, 2)}\n` : textOf(found));
  return 0;
}

function printed(
  rows: readonly (readonly string[])[],
  none: string,
  surroundings: Surroundings,
  isBad: (at: number) => boolean,
): void {
  const paint = painter(surroundings);
  const [head = "", ...lines] = rows.length > 1 ? aligned(rows) : [none];
  const painted = lines.map((line, at) => (isBad(at) ? paint("red", line) : line));
  surroundings.out(`${[paint("dim", head), ...painted].join("\n")}\n`);
}

/** `more` is what the kind needs beside its target. */
const acts =
  (kind: string, more: (given: Given) => Omit<Action, "kind" | "target"> = () => ({})) =>
  (given: Given, surroundings: Surroundings): Promise<number> => {
    const rest = more(given);
    return atPlace(given, surroundings, async (place: Place) => {
      const ids = await selectedIds(kind, given, surroundings, place);
      const actions = ids.map((target): Action => ({ kind, target, ...rest }));
      return acted(place, actions, given, surroundings);
    });
  };

const reasonIn = (given: Given): Pick<Action, "reason"> => {
  const reason = given.text("reason");
  return reason === undefined ? {} : { reason };
};

export const runsResume = acts("resume");
export const runsWake = acts("wake");
export const runsForget = acts("forget");
export const runsCancel = acts("cancel", (given) => {
  const reason = given.text("reason") ?? "";
  if (reason === "" || reason.length > 1000)
    throw new UsageError("--reason TEXT is missing, or longer than 1000 characters: it is kept in the run");
  return { reason };
});
export const dlqRedrive = acts("redrive");
export const dlqDiscard = acts("discard", reasonIn);

export const runsSignal = (given: Given, surroundings: Surroundings): Promise<number> => {
  const [target, name] = given.operands;
  if (target === undefined || name === undefined)
    throw new UsageError("give the id of a run and the name of a signal: runs signal ID NAME --payload JSON");
  requireId(target);
  const id = given.text("id");
  const payload = { name, payload: jsonIn(given, "payload"), ...(id !== undefined && { id }) };
  return atPlace(given, surroundings, (place) =>
    acted(place, [{ kind: "signal", target, payload }], given, surroundings),
  );
};

export const runsStart = (given: Given, surroundings: Surroundings): Promise<number> => {
  const [axon] = given.operands;
  if (axon === undefined) throw new UsageError("give the name of an Axon: runs start AXON --input JSON");
  const target = given.text("run-id") ?? randomUUID();
  requireId(target);
  if (isReservedRunId(target))
    throw new UsageError(`--run-id '${visible(target)}': ids of key- and redrive- are the framework's`);
  const payload = { axon, input: jsonIn(given, "input") };
  return atPlace(given, surroundings, (place) =>
    acted(place, [{ kind: "start", target, payload }], given, surroundings),
  );
};

function onlyId({ operands: [id] }: Given): string {
  if (id === undefined) throw new UsageError("an id is missing");
  requireId(id);
  return id;
}
