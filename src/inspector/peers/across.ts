// How an endpoint answers for all processes of a service: each answers as it would alone, by the
// endpoint's own function and schemas.

import { type TSchema, Type } from "@sinclair/typebox";

import { type Fault, isFault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { InspectorCode } from "#core/error-codes.js";
import type { InspectorFault } from "../api/fault.js";
import type { Caller } from "../door/caller.js";
import { type Passed, passed, passedOf, received, silence } from "./fault-envelope.js";
import { USER_WAIT_MS, WORK_WAIT_MS } from "./peer-timeouts.js";
import type { Peers } from "./peers.js";
import { subject } from "./subject.js";

type Outcome<Data> = Data | Fault<InspectorFault>;
export type Run<In, Data> = (input: In, caller: Caller) => MaybePromise<Outcome<Data>>;

interface Merging<In> {
  readonly input: In;
  /** Number of processes without a usable answer. */
  readonly silent: number;
}

/** Each process answers, and one answer is made of all. */
interface Merged<In, Data> {
  /** Called without others, too. The member `workers_silent` is added up for it. */
  readonly merged: (own: Data, others: readonly Data[], merging: Merging<In>) => Data;
  /** Shortens an answer that is too long; undefined if it cannot be shortened further. */
  readonly shortened?: (answer: Data) => Data | undefined;
}

/** The process that has the item answers. */
interface Owned<In> {
  /** The code of a process that does not have it. */
  readonly owner: InspectorCode;
  /** Tells whether this process has it. Asked first where the work itself takes long. */
  readonly has?: (input: In) => MaybePromise<boolean>;
}

export type Across<In, Data> = Merged<In, Data> | Owned<In>;

export interface Spread<In, Data> {
  /** Names the question: the route of the endpoint. */
  readonly about: string;
  /** Of the answer. */
  readonly schema: TSchema;
  /** True if it changes something. */
  readonly steers: boolean;
  readonly run: Run<In, Data>;
}

interface Question<In> {
  readonly input: In;
  readonly caller: Caller;
}

/** Answers for all processes. Also answers the other processes for this one. */
export const spread = <In, Data>(
  of: Spread<In, Data>,
  across: Across<In, Data>,
  peers: Peers | undefined,
): Run<In, Data> => ("merged" in across ? mergedRun(of, across, peers) : ownersRun(of, across, peers));

function mergedRun<In, Data>(
  { about, schema, run }: Spread<In, Data>,
  { merged, shortened }: Merged<In, Data>,
  peers: Peers | undefined,
): Run<In, Data> {
  const question = subject(about, passedOf<Data>(schema));
  peers?.answers<Question<In>, Passed<Data>>(
    about,
    async ({ input, caller }) => passed(await run(input, caller)),
    (answer) => {
      const value = answer.kind === "done" ? shortened?.(answer.value) : undefined;
      return value && { kind: "done", value };
    },
  );
  return async (input, caller) => {
    const [own, asked] = await Promise.all([
      run(input, caller),
      peers?.askAll(question, { input, caller }, { waitMs: USER_WAIT_MS }),
    ]);
    if (isFault(own)) return own;
    const answers = (asked?.answers ?? []).map(({ value }) => value);
    const others = answers.flatMap((answer) => (answer.kind === "done" ? [answer.value] : []));
    const silent = (asked?.silent ?? 0) + answers.length - others.length;
    const data = merged(own, others, { input, silent });
    const workers_silent = others.map(silentIn).reduce((sum, count) => sum + count, silent);
    return hasSilent(data) ? { ...data, workers_silent } : data;
  };
}

const hasSilent = <Data>(answer: Data): answer is Data & { readonly workers_silent: number } =>
  typeof answer === "object" && answer !== null && "workers_silent" in answer;

/** 1 in a shortened answer of a process. */
const silentIn = (answer: unknown): number => (hasSilent(answer) ? answer.workers_silent : 0);

function ownersRun<In, Data>(
  { about, schema, run, steers }: Spread<In, Data>,
  { owner: unknown, has }: Owned<In>,
  peers: Peers | undefined,
): Run<In, Data> {
  if (peers === undefined) return run;
  const lacks = (outcome: Outcome<Data>): outcome is Fault<InspectorFault> =>
    isFault(outcome) && outcome.error.code === unknown;
  const isHere = subject<true>(`${about} is here`, Type.Literal(true));
  const question = subject(about, passedOf<Data>(schema));
  peers.answers<Question<In>>(isHere.about, async ({ input }) =>
    (await has?.(input)) === true ? true : null,
  );
  peers.answers<Question<In>>(about, async ({ input, caller }) => {
    const outcome = await run(input, caller);
    return lacks(outcome) ? null : passed(outcome);
  });
  return async (input, caller) => {
    const own = await run(input, caller);
    if (!lacks(own)) return own;
    const first = { waitMs: USER_WAIT_MS, first: true, steers };
    if (has === undefined) {
      const { answers, silent } = await peers.askAll(question, { input, caller }, first);
      const [answer] = answers;
      if (answer !== undefined) return received(answer.value);
      return silent > 0 ? silence(silent) : own;
    }
    const { answers, silent } = await peers.askAll(isHere, { input, caller }, first);
    const [here] = answers;
    if (here === undefined) return silent > 0 ? silence(silent) : own;
    const to = { waitMs: WORK_WAIT_MS, to: here.pid, steers };
    const [answer] = (await peers.askAll(question, { input, caller }, to)).answers;
    return answer === undefined ? silence(1) : received(answer.value);
  };
}

/** Shortens an answer to the first half of a list. */
export const halved =
  <K extends string>(key: K) =>
  <Data extends { readonly [k in K]: readonly unknown[] }>(answer: Data): Data | undefined => {
    const half = Math.floor(answer[key].length / 2);
    return half === 0 ? undefined : { ...answer, [key]: answer[key].slice(0, half), workers_silent: 1 };
  };
