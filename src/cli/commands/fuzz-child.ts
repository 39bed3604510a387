// Drives the process that fuzzes, and starts another one when it has ended within a request.

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import {
  chosenSeed,
  type FuzzFailure,
  type FuzzOptions,
  type FuzzProgress,
  type FuzzReport,
} from "#fuzz/fuzz.js";
import type { FuzzRequest } from "#fuzz/fuzz-request.js";
import { blockedAfterMs, type ReplayOptions } from "#fuzz/replay.js";
import { CommandError, UsageError } from "../terminal/command.js";

export interface Asked {
  readonly file: string;
  readonly options: FuzzOptions | ReplayOptions;
  readonly until: ReadonlyMap<string, number>;
  /** To be sent alone, in the place of drawn ones. */
  readonly requests?: readonly FuzzRequest[];
}

export type Told =
  | {
      readonly kind: "sending";
      readonly request: FuzzRequest;
      readonly round: number;
      readonly isFirst: boolean;
    }
  | { readonly kind: "progress"; readonly progress: FuzzProgress }
  | ({ readonly kind: "report"; readonly report: FuzzReport } & Pick<Fuzzed, "ingress" | "exports">)
  | { readonly kind: "failed"; readonly code: string; readonly message: string; readonly isUsage: boolean };

export interface Fuzzed {
  readonly report: FuzzReport;
  /** Name of the exported ingress. */
  readonly ingress: string;
  readonly exports: readonly ("resources" | "identities")[];
}

/** The process ended within a request. */
interface Ended {
  readonly how: string;
  readonly round: number;
  /** The last one was under way. */
  readonly requests: readonly FuzzRequest[];
}

/** Processes that may end within a request. */
const MAX_ENDED = 20;

export async function fuzzed(
  file: string,
  given: FuzzOptions,
  progress: (progress: FuzzProgress) => void,
): Promise<Fuzzed> {
  const options = { ...given, seed: chosenSeed(given.seed) };
  const until = new Map<string, number>();
  const failures: FuzzFailure[] = [];
  for (;;) {
    const outcome = await run({ file, options, until }, progress);
    if ("report" in outcome) {
      // Last in the written file: their tests end the process.
      const { report, ...exported } = outcome;
      return { report: { ...report, failures: [...report.failures, ...failures] }, ...exported };
    }
    const failure = await failureOf(file, given, outcome);
    failures.push(failure);
    if (failures.length === MAX_ENDED)
      throw new Error(`${MAX_ENDED} processes ended within a request, the last one: ${failure.message}`);
    until.set(failure.route, outcome.round);
  }
}

/** The request alone, or with those before it; with shorter texts where those do. */
async function failureOf(
  file: string,
  { slowMs, patienceMs, allowEffects }: FuzzOptions,
  ended: Ended,
): Promise<FuzzFailure> {
  const { how, requests } = ended;
  const limits = { ...(slowMs !== undefined && { slowMs }), ...(patienceMs !== undefined && { patienceMs }) };
  const options = { ...limits, allowEffects: allowEffects === true };
  const endsAgain = async (some: readonly FuzzRequest[]): Promise<boolean> => {
    const outcome = await run({ file, options, until: new Map(), requests: some }, () => {});
    return !("report" in outcome);
  };
  const last = requests.slice(-1);
  const { route } = last[0] as FuzzRequest;
  const few = (await endsAgain(last)) ? last : requests;
  const isReproduced = few === last || (await endsAgain(few));
  const short = few.map(shortened);
  const isShort = isReproduced && JSON.stringify(short) !== JSON.stringify(few) && (await endsAgain(short));
  return { route, message: how, times: 1, requests: isShort ? short : few, isReproduced };
}

const REPEATED = /(.{1,16}?)\1{40,}/gs;
const SHORT = 40;

/** With shorter runs of a repeated unit. */
const shortened = (request: FuzzRequest): FuzzRequest =>
  JSON.parse(JSON.stringify(request), (_, value) =>
    typeof value === "string"
      ? value.replace(REPEATED, (_run, unit: string) => unit.repeat(Math.ceil(SHORT / unit.length)))
      : value,
  );

/** Flags of Node.js that apply to this process only. */
const OWN_FLAGS = /^--(test|inspect|watch)/;

async function run(asked: Asked, progress: (progress: FuzzProgress) => void): Promise<Fuzzed | Ended> {
  const args = [
    ...process.execArgv.filter((flag) => !OWN_FLAGS.test(flag)),
    fileURLToPath(import.meta.resolve("#cli/commands/fuzz-process.js")),
  ];
  // What the application writes stays off the report.
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    serialization: "advanced",
  });
  let requests: FuzzRequest[] = asked.requests === undefined ? [] : [...asked.requests];
  let round = 0;
  let sentAt = performance.now();
  let over: Fuzzed | Error | undefined;
  child.on("message", (told: Told) => {
    switch (told.kind) {
      case "sending":
        if (told.isFirst) requests = [];
        requests.push(told.request);
        round = told.round;
        sentAt = performance.now();
        break;
      case "progress":
        progress(told.progress);
        break;
      case "report":
        over = told;
        break;
      case "failed":
        over = asked.requests === undefined ? errorOf(told) : NOT_ENDED;
    }
  });
  child.send(asked);
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once("error", reject).once("close", (...ended) => resolve(ended));
  });
  if (over instanceof Error) throw over;
  if (over !== undefined) return over;
  if (asked.requests !== undefined && code === 0) return NOT_ENDED;
  if (requests.length === 0) throw new Error(`the process that fuzzes ended with ${signal ?? code}`);
  const isBlocked = signal === "SIGKILL" && performance.now() - sentAt >= blockedAfterMs(asked.options);
  const how = isBlocked
    ? `a step blocks the event loop: no response within ${blockedAfterMs(asked.options)} ms`
    : `the process ended with ${signal ?? `exit code ${code}`} within the request`;
  return { how, round, requests };
}

/** Of requests that were sent alone: no report is made of them. */
const NOT_ENDED = { report: undefined } as unknown as Fuzzed;

function errorOf({ code, message, isUsage }: Extract<Told, { kind: "failed" }>): Error {
  if (isUsage) return new UsageError(message);
  return code === "FUZZ_REFUSED" ? new CommandError(message) : new Error(message);
}
