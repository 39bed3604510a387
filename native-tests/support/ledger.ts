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
  /** What `runs.signal` answered to a signal of this id. */
  | ({ readonly what: "signalled"; readonly id: string; readonly as: string } & Line)
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
  /** Whether a run that waits waits for signals. */
  readonly isForSignals?: true;
  /** What ended a wait: "time", or the number of the signal. */
  readonly woken?: "time" | number;
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
  /** Waits that ended twice, and what was done again behind one after an answered append called it completed. */
  readonly woken: string[];
  /** Kept signals which a run that waits for them has not taken. */
  readonly unheard: string[];
  /** Runs that a run began more than once. */
  readonly doubled: string[];
  /** Done again, because the process died before its append was answered. */
  repeats: number;
  /** Done by a process whose lease was over, after another had resumed the run. */
  zombies: number;
  /** Answered claims of runs of dead processes. */
  takeovers: number;
  /** Runs that ended because they were cancelled. */
  cancelled: number;
  /** Answered claims of runs that waited. */
  wakes: number;
}

export const isGood = (run: string): boolean => !/^k\d*[13579]$/.test(run);

/** Of a run that all processes cancel while it is at work. */
const isCancelled = (run: string): boolean => run.startsWith("c");

/** Of a request with a key. */
const isKeyed = (run: string): boolean => run.startsWith("key-");

/** Of a run that sleeps, takes two signals and awaits a run that it begins. */
const isWaiting = (run: string): boolean => /^w\d+$/.test(run);

/** Begun by a run that waits: its id is made of that run's. */
const isChild = (run: string): boolean => run !== "" && !isKeyed(run) && !/^[kcw]\d+$/.test(run);

/** What the steps 1 to 5 add up to, the signals of a run that waits, and the run that it begins. */
export const SIGNALS = [
  ["a", 100],
  ["b", 1000],
] as const;
const SUM = 15;
const SUM_OF_WAITING = SUM + 1100 + SUM;

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
    ...{ lost: [], wrong: [], redone: [], forgotten: [], stolen: [], woken: [], unheard: [], doubled: [] },
    ...{ repeats: 0, zombies: 0, takeovers: 0, cancelled: 0, wakes: 0 },
  };
  const keyed = keyedRuns(ledger);
  const children = childRuns(ledger);
  const parents = runs.filter(isWaiting);
  if (children.length > parents.length)
    verdict.doubled.push(`${parents.length} runs began ${children.length}: ${children}`);
  const histories = new Map([...runs, ...keyed, ...children].map((run) => [run, new History(run, verdict)]));
  for (const line of ledger) histories.get(line.run)?.add(line);
  for (const history of histories.values()) history.end();
  if (keyed.length !== keys) verdict.wrong.push(`${keys} keys have ${keyed.length} runs: ${keyed}`);
  const tokens = new Set<number>();
  for (const line of ledger)
    if (line.what === "answered" && !AS_ANSWERED.includes(line.says))
      verdict.wrong.push(`key ${line.key} was answered: ${line.says}`);
    else if (line.what === "signalled" && !AS_SIGNALLED.includes(line.as))
      verdict.wrong.push(`signal ${line.id} of ${line.run} was answered: ${line.as}`);
    else if (line.what === "locked")
      if (tokens.has(line.token)) verdict.wrong.push(`two processes held the lock of token ${line.token}`);
      else tokens.add(line.token);
  return verdict;
}

/** A result, a location whose run has one, and the refusal of another body. */
const AS_ANSWERED = ["200 15", "202", "other 422"];

/** A signal that all processes send, each twice; the last also where the run has ended. */
const AS_SIGNALLED = ["kept", "known", "ended"];

export const childRuns = (ledger: readonly LedgerLine[]): readonly string[] => [
  ...new Set(ledger.map(({ run }) => run).filter(isChild)),
];

export const keyedRuns = (ledger: readonly LedgerLine[]): readonly string[] => [
  ...new Set(ledger.map(({ run }) => run).filter(isKeyed)),
];

/** Owns a run that waits. */
const NO_PROCESS = 0;

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
  /** The last entry of the longest answered log. */
  #last: KeptEntry | undefined;
  readonly #sent = new Set<string>();
  readonly #taken = new Set<number>();

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
      case "signalled":
        if (line.as !== "ended") this.#sent.add(line.id);
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
      ? [FORWARD, `completed ${isWaiting(run) ? SUM_OF_WAITING : SUM}`]
      : [[...FORWARD, ...BACKWARD], 'failed "bad"'];
    if (this.#result === undefined && this.#last?.isForSignals && this.#sent.size > this.#taken.size)
      this.#verdict.unheard.push(`${run} waits, and took ${this.#taken.size} of ${this.#sent.size} signals`);
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
    // Behind an append whose answer was lost the entry before is unknown.
    if (length > this.#length + entries.length) this.#last = undefined;
    this.#length = length;
    for (const entry of entries) {
      const { kind, step, left, woken } = entry;
      if (kind === "begun" || kind === "resumed") this.#owner = pid;
      if (kind === "waiting") this.#owner = NO_PROCESS;
      if (woken !== undefined) this.#wokenBy(woken);
      else if (kind === "resumed") this.#verdict.takeovers += 1;
      this.#last = entry;
      if (kind === "failed") this.#hasFailed = true;
      if (kind === "ended") this.#isOver = true;
      if (step !== undefined) this.#ahead = Math.max(this.#ahead, step);
      if (left !== undefined) this.#left = left;
    }
  }

  #wokenBy(woken: "time" | number): void {
    this.#verdict.wakes += 1;
    const isTwice = woken !== "time" && this.#taken.has(woken);
    if (isTwice || (this.#last !== undefined && this.#last.kind !== "waiting"))
      this.#verdict.woken.push(`${this.#run} was woken by ${woken} behind "${this.#last?.kind}"`);
    if (woken !== "time") this.#taken.add(woken);
  }

  #done({ what, step, epoch, pid, isLate }: Extract<LedgerLine, { what: "do" | "undo" }>): void {
    const { redone, stolen, woken, wrong } = this.#verdict;
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
    if (isCompleted)
      (isWaiting(this.#run) ? woken : redone).push(`${told}, after an answered append called it completed`);
    if (effect !== this.#effects.at(-1)) this.#effects.push(effect);
    else if (epoch > this.#epoch) this.#verdict.repeats += 1;
    else wrong.push(`${told}, twice in one epoch`);
    this.#epoch = epoch;
  }
}
