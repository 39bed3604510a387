// What servers that are killed did to the world, and what their store promised: one line each in
// one file, in the order in which it happened. The judge compares the two.

import { readFileSync } from "node:fs";

interface Line {
  /** Milliseconds since 1970: for people. */
  readonly at: number;
  readonly pid: number;
  readonly run: string;
}

interface OwnedLine extends Line {
  /** Since the process owns the run its lease was over once, by its own clock. */
  readonly isLate: boolean;
}

export type LedgerLine =
  /** An effect. */
  | ({ readonly what: "do" | "undo"; readonly step: number; readonly epoch: number } & OwnedLine)
  /** An answered append, after which the log has `length` entries. */
  | ({ readonly what: "kept"; readonly length: number; readonly entries: readonly KeptEntry[] } & OwnedLine)
  /** The driver is about to halt the process: for people. */
  | ({ readonly what: "halt" } & Line)
  /** What `runs.start` answered. */
  | ({ readonly what: "started"; readonly as: "begun" | "known" } & Line)
  /** What a client was answered to the requests of a key, and the run at the location of a 202. */
  | ({ readonly what: "answered"; readonly key: string; readonly says: string } & Line)
  /** A lock that all processes take in turn. */
  | ({ readonly what: "locked"; readonly token: number } & Line)
  /** What `runs.result` answered once nothing was unfinished. */
  | ({ readonly what: "result"; readonly result: string } & Line);

export interface KeptEntry {
  readonly kind: string;
  /** The step that the run is about to run. */
  readonly step?: number | undefined;
  /** How many completed steps are still to be undone. */
  readonly left?: number | undefined;
}

export interface Verdict {
  /** Runs without an end. */
  readonly lost: string[];
  /** A wrong end, a wrong order, a run that began twice. */
  readonly wrong: string[];
  /** Done again after an answered append called it completed. */
  readonly redone: string[];
  /** Answered appends that a later one does not find in the log. */
  readonly forgotten: string[];
  /** Done by a process which had lost the run, although its lease was never over. */
  readonly stolen: string[];
  /** Done again, because the process died before its append was answered. */
  repeats: number;
  /** Done by a process whose lease was over, after another had resumed the run. */
  zombies: number;
  /** Answered claims of runs of dead processes. */
  takeovers: number;
  /** Runs that ended because they were cancelled. */
  cancelled: number;
}

export const isGood = (run: string): boolean =>
  isKeyed(run) || isCancelled(run) || Number(run.slice(1)) % 2 === 0;

/** Of a run that all processes cancel while it is at work. */
const isCancelled = (run: string): boolean => run.startsWith("c");

/** Of a request with a key. */
const isKeyed = (run: string): boolean => run.startsWith("key-");

/** Of the steps 1 to 5 these are undone, the last one first, where the fifth fails. */
const UNDONE = [1, 2, 4];
const FORWARD = [1, 2, 3, 4, 5].map((step) => `do ${step}`);
const BACKWARD = UNDONE.toReversed().map((step) => `undo ${step}`);

export const readLedger = (file: string): LedgerLine[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LedgerLine);

/** `keys`: how many requests with keys the clients sent, each from each process. */
export function judge(ledger: readonly LedgerLine[], runs: readonly string[], keys = 0): Verdict {
  const verdict: Verdict = {
    ...{ lost: [], wrong: [], redone: [], forgotten: [], stolen: [] },
    ...{ repeats: 0, zombies: 0, takeovers: 0, cancelled: 0 },
  };
  const keyed = keyedRuns(ledger);
  const histories = new Map([...runs, ...keyed].map((run) => [run, new History(run, verdict)]));
  for (const line of ledger) histories.get(line.run)?.add(line);
  for (const history of histories.values()) history.end();
  if (keyed.length !== keys) verdict.wrong.push(`${keys} keys have ${keyed.length} runs: ${keyed}`);
  const tokens = new Set<number>();
  for (const line of ledger)
    if (line.what === "answered" && !AS_ANSWERED.includes(line.says))
      verdict.wrong.push(`key ${line.key} was answered: ${line.says}`);
    else if (line.what === "locked")
      if (tokens.has(line.token)) verdict.wrong.push(`two processes held the lock of token ${line.token}`);
      else tokens.add(line.token);
  return verdict;
}

/** A result, a location whose run has one, and the refusal of another body. */
const AS_ANSWERED = ["200 15", "202", "other 422"];

export const keyedRuns = (ledger: readonly LedgerLine[]): readonly string[] => [
  ...new Set(ledger.map(({ run }) => run).filter(isKeyed)),
];

/** One run, as its lines tell it. */
class History {
  readonly #run: string;
  readonly #verdict: Verdict;
  /** Of the longest log that was answered: its owner, and what it calls completed. */
  #length = 0;
  #owner: number | undefined;
  #ahead = 1;
  #hasFailed = false;
  #left = UNDONE.length;
  #isOver = false;
  /** Its effects without those of zombies, each once where it was repeated. */
  readonly #effects: string[] = [];
  #epoch = 0;
  #begun = 0;
  #result: string | undefined;

  constructor(run: string, verdict: Verdict) {
    this.#run = run;
    this.#verdict = verdict;
  }

  add(line: LedgerLine): void {
    switch (line.what) {
      case "kept":
        this.#kept(line);
        return;
      case "started":
        if (line.as === "begun") this.#begun += 1;
        return;
      case "result":
        this.#result = line.result;
        return;
      case "do":
      case "undo":
        this.#done(line);
    }
  }

  end(): void {
    const { lost, wrong } = this.#verdict;
    const run = this.#run;
    if (this.#begun > 1) wrong.push(`${run} began ${this.#begun} times`);
    if (isCancelled(run) && this.#result?.includes("RUN_CANCELLED") === true) {
      this.#cancelled();
      return;
    }
    const [effects, result] = isGood(run)
      ? [FORWARD, "completed 15"]
      : [[...FORWARD, ...BACKWARD], 'failed "bad"'];
    if (this.#result === undefined) lost.push(`${run} has no result`);
    else if (this.#result !== result) wrong.push(`${run} came to: ${this.#result}`);
    if (this.#effects.join() !== effects.join()) wrong.push(`${run}: ${this.#effects.join(", ")}`);
  }

  /** Undone is what was completed; of the step that was at work last only its process knew. */
  #cancelled(): void {
    this.#verdict.cancelled += 1;
    const last = this.#effects.filter((effect) => effect.startsWith("do")).length;
    const undoing = (upTo: number) => UNDONE.filter((step) => step <= upTo).toReversed();
    const allowed = [last, ...(last < this.#ahead ? [] : [last - 1])].map((upTo) =>
      [...FORWARD.slice(0, last), ...undoing(upTo).map((step) => `undo ${step}`)].join(),
    );
    if (!allowed.includes(this.#effects.join()))
      this.#verdict.wrong.push(`${this.#run}, cancelled: ${this.#effects.join(", ")}`);
  }

  #kept({ length, entries, pid, isLate }: Extract<LedgerLine, { what: "kept" }>): void {
    if (length <= this.#length) {
      // A halted process tells late of an append behind which others have appended since.
      if (isLate) return;
      const told = `${this.#run}: process ${pid} made its log ${length} entries long, which had ${this.#length}`;
      this.#verdict.forgotten.push(told);
    }
    this.#length = length;
    for (const { kind, step, left } of entries) {
      if (kind === "begun" || kind === "resumed") this.#owner = pid;
      if (kind === "resumed") this.#verdict.takeovers += 1;
      if (kind === "failed") this.#hasFailed = true;
      if (kind === "ended") this.#isOver = true;
      if (step !== undefined) this.#ahead = Math.max(this.#ahead, step);
      if (left !== undefined) this.#left = left;
    }
  }

  #done({ what, step, epoch, pid, isLate }: Extract<LedgerLine, { what: "do" | "undo" }>): void {
    const { redone, stolen, wrong } = this.#verdict;
    const effect = `${what} ${step}`;
    const told = `${this.#run}: ${effect} in epoch ${epoch} by process ${pid}`;
    // A claim is in the ledger before what it allows: a process that is not the owner has lost the run.
    if (this.#owner !== undefined && this.#owner !== pid) {
      if (isLate) this.#verdict.zombies += 1;
      else stolen.push(told);
      return;
    }
    const isCompleted =
      this.#isOver ||
      (what === "do" ? this.#hasFailed || step < this.#ahead : UNDONE.indexOf(step) >= this.#left);
    if (isCompleted) redone.push(`${told}, after an answered append called it completed`);
    if (effect !== this.#effects.at(-1)) this.#effects.push(effect);
    else if (epoch > this.#epoch) this.#verdict.repeats += 1;
    else wrong.push(`${told}, twice in one epoch`);
    this.#epoch = epoch;
  }
}
