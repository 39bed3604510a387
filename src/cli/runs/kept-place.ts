import type { DeadLetter } from "#core/ports/dead-letter.js";
import { outcomeOf } from "#core/ports/run-list.js";
import type { RunEntry, RunStore } from "#core/ports/run-store.js";
import type { StoreSet } from "#core/ports/store-set.js";
import type { Json } from "#core/wire/json-text.js";
import { cancelOf, rowOf } from "#inspector/runs/listed-runs.js";
import { toldEntries } from "#inspector/runs/told-entries.js";
import { faultReason } from "#inspector/traces/fault-reason.js";
import { redriveRunId } from "#runtime/axon/kept-redrive.js";
import { listedRuns, runPage } from "#runtime/hosting/listed-runs.js";
import { type RunLog, readLog } from "#runtime/kept/run-log.js";
import { cancelIn, failureIn, stateIn } from "#runtime/kept/told-run.js";
import { askHosts, type Patience } from "./host-answer.js";
import { shownStored, shownValue } from "./masked.js";
import type { Letter, Place, Progressed, RunRow, ShownRun } from "./place.js";

/** Letters are listed by their time in the process of the command: at most so many are read. */
const MAX_LETTERS = 10_000;

/** Reads the stores, and asks hosts to act. */
export function keptPlace(stores: StoreSet, patience: Patience): Place {
  const { runs, deadLetters } = stores;
  return {
    list: async (filter, cursor) => {
      const page = await runPage([runs], filter, cursor);
      return (
        page && {
          runs: page.runs.map(({ run, isAlive }) => ({
            ...rowIn({ run, state: run.state, unfit: run.unfit ?? null, isAlive }),
            ended_at: run.ended_at ?? null,
          })),
          cursor: page.cursor ?? null,
        }
      );
    },
    show: (id) => shownRun(runs, id),
    progressOf: (id) => progressOf(runs, id),
    letters: async ({ axon, since = 0, until = Number.POSITIVE_INFINITY, limit }) => {
      const isAll = since === 0 && until === Number.POSITIVE_INFINITY;
      const filter = { limit: isAll ? limit : MAX_LETTERS, ...(axon !== undefined && { axon }) };
      const found = await deadLetters.list(filter);
      const fitting = found.filter(({ failed_at: at }) => at >= since && at < until);
      return fitting.slice(0, limit).map((letter) => letterIn(letter));
    },
    letter: async (id) => {
      const letter = await deadLetters.get(id);
      return letter && { ...letterIn(letter), values: valuesOf(letter) };
    },
    redriveOf: ({ kind, ...letter }) => (kind === "step" ? redriveRunId(letter) : undefined),
    act: (action) => askHosts(stores, action, patience),
  };
}

const rowIn = (listed: Parameters<typeof rowOf>[0]): Omit<RunRow, "ended_at"> => {
  const { circuit: axon, ...row } = rowOf(listed, true);
  return { axon, ...row };
};

/** A run whose Axon no code has any more is shown all the same. */
async function shownRun(runs: RunStore, id: string): Promise<ShownRun | undefined> {
  const entries = await runs.read(id);
  const log = readLog(entries);
  if (log === undefined) return undefined;
  const [open] = log.end === undefined ? await listedRuns(runs, [], { id, limit: 1 }) : [];
  const row = open && rowIn(open);
  const failure = failureIn(log);
  const { position, end } = log;
  const stored = end === undefined ? undefined : "error" in end ? undefined : end.output;
  return {
    ...{ run_id: id, axon: log.axon, version: log.version, state: row?.state ?? stateIn(log, failure) },
    ...{ began_at: entries[0]?.at ?? 0, last_at: entries.at(-1)?.at ?? 0 },
    ...{ node: position.node, wait: row?.wait ?? null, owner: row?.owner ?? null, unfit: row?.unfit ?? null },
    cancel: row?.cancel ?? cancelOf((await runs.ownership?.(id))?.cancel ?? cancelIn(entries, failure), true),
    fault: failure === undefined ? null : titleOf(failure),
    ...(log.labels && { labels: log.labels }),
    input: shownStored(position.input),
    ...(stored !== undefined && { output: shownStored(stored) }),
    ...(failure !== undefined && { error: shownValue(failure) }),
    bus: Object.fromEntries(
      Object.entries(position.bus).map(([key, value]) => [key, shownStored(value, key)]),
    ),
    completed: log.completed.map(({ node, input, output }) => ({
      ...{ node, input: shownStored(input), output: shownStored(output) },
    })),
    signals: await pendingSignals(runs, id, entries, log),
    entries: toldEntries(entries, {
      isOperator: true,
      schemaOf: () => undefined,
      shown: (payload) => ({ kind: "full", value: shownStored(payload), is_cut: false }),
    }),
  };
}

/** A store lists signals by their names: those for which the run waits or has waited. */
async function pendingSignals(
  runs: RunStore,
  id: string,
  entries: readonly RunEntry[],
  { end }: RunLog,
): Promise<ShownRun["signals"]> {
  const names = entries.flatMap((entry) => (entry.kind === "waiting" ? (entry.signals ?? []) : []));
  if (end !== undefined || names.length === 0) return [];
  const kept = (await runs.waits?.signals(id, [...new Set(names)])) ?? [];
  return kept.map(({ name, id: signal, payload }) => ({ name, id: signal, payload: shownStored(payload) }));
}

async function progressOf(runs: RunStore, id: string): Promise<Progressed | undefined> {
  const glance = await runs.glance?.(id);
  if (glance === undefined) return undefined;
  const { entries, end } = glance;
  if (end?.kind === "ended") {
    const value: { output?: Json; error?: Json } =
      "error" in end
        ? { error: shownStored(end.error) }
        : end.output === undefined
          ? {}
          : { output: shownStored(end.output) };
    return { state: outcomeOf(end), entries, ...value };
  }
  const [open] = await listedRuns(runs, [], { id, limit: 1 });
  return { state: open?.state ?? "running", entries, node: open?.run.node };
}

function titleOf(error: unknown): NonNullable<ShownRun["fault"]> {
  const { code, title, detail } = faultReason(error);
  // A plain value says more than that no response is declared for it.
  if (code === "FAULT_UNMAPPED") return { code: null, title: JSON.stringify(shownValue(error)) };
  return { code, title: String(shownValue(detail === null ? title : `${title}: ${detail}`)) };
}

const letterIn = (letter: DeadLetter): Letter => ({
  ...{ id: letter.id, kind: letter.kind, axon: letter.axon, version: letter.version, node: letter.node },
  ...{ failed_at: letter.failed_at, attempts: letter.attempts, error: titleOf(letter.error) },
  ...(letter.labels && { labels: letter.labels }),
});

const valuesOf = ({
  input,
  error,
  cause,
  undone,
  lost,
  run_id,
}: DeadLetter): NonNullable<Letter["values"]> => ({
  ...{ input: shownValue(input), error: shownValue(error) },
  ...(cause !== undefined && { cause: shownValue(cause) }),
  ...(undone.length > 0 && { undone: undone.map(({ node }) => node) }),
  ...(lost && { lost: [...lost] }),
  ...(run_id !== undefined && { run_id }),
});
