// Kills servers that keep runs, round after round, and judges what they left. For a test and for
// scripts/kill-runs.mjs. Each round has a new database, one, two or four processes, and runs that
// each of them begins; dead processes are replaced, until all that was drawn for the round has happened.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { judge, type LedgerLine, readLedger } from "./ledger.js";
import { startPostgres } from "./postgres-server.js";
import { bareEnvironment, programArguments } from "./run-program.js";
import { type StoreTrouble, storeTrouble, TROUBLES, type Trouble } from "./store-trouble.js";

export interface KillOptions {
  readonly store: "sqlite" | "postgres";
  readonly seed: number;
  /** Whether no new round is begun; asked before each. */
  readonly isEnough: (soFar: KillReport) => boolean;
  readonly onRound?: (soFar: KillReport) => void;
  /** "early": appends are answered before they are committed. */
  readonly fault?: "early";
  /** Rounds at once. */
  readonly lanes?: number;
}

export interface KillReport {
  rounds: number;
  runs: number;
  kills: number;
  readonly killsByPoint: Record<string, number>;
  readonly killsByProcesses: Record<number, number>;
  /** Processes halted for longer than their lease. */
  halts: number;
  /** How often connections were cut, the store was away, or failed over. */
  readonly troubles: Record<string, number>;
  /** Answers to requests with keys. */
  answers: number;
  /** Runs that ended because they were cancelled. */
  cancelled: number;
  takeovers: number;
  repeats: number;
  zombies: number;
  lost: number;
  wrong: number;
  redone: number;
  forgotten: number;
  stolen: number;
  woken: number;
  unheard: number;
  doubled: number;
  wakes: number;
  /** One line each, with the folder of its round. */
  readonly problems: string[];
  ms: number;
}

const LEASE_MS = 500;
const RUNS = 24;
const KEYS = 6;
const CANCELS = 6;
/** Runs that wait, each of which begins another. */
const WAITS = 8;
/** What the others write into the ledger before a halted process goes on. */
const LINES_MEANWHILE = 20;
const DEFAULT_LANES = 3;
/** Kills and halts of a round. */
const BLOWS = 6;
const PROCESSES = [1, 2, 4] as const;
const POINTS = [
  ...["append.before", "commit", "append.kept", "append.answered"],
  ...["step.before", "step.after", "undo.before", "undo.after", "signal.before", "signal.kept"],
] as const;
/** A round whose ledger does not grow for so long has runs without an end. */
const SILENCE_MS = 90_000;
/** Where a fault is planted that is so often. */
const FAULT_SILENCE_MS = 8000;
/** The exit code of a server that cannot ask its store. */
const NOT_STARTED = 4;

/** What a judge can find. */
const WRONGS = ["lost", "wrong", "redone", "forgotten", "stolen", "woken", "unheard", "doubled"] as const;

type Blow =
  | { readonly kind: "point"; readonly name: string; readonly nth: number; readonly us: number }
  /** Once it is ready and this long after, at the next line of the ledger and so many microseconds. */
  | { readonly kind: "random" | "halt"; readonly afterMs: number; readonly us: number };

export async function killRuns(options: KillOptions): Promise<KillReport> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), "kill-runs-"));
  const server = options.store === "postgres" ? await startPostgres([]) : undefined;
  const report: KillReport = {
    ...{
      rounds: 0,
      runs: 0,
      kills: 0,
      killsByPoint: {},
      killsByProcesses: {},
      halts: 0,
      troubles: {},
      answers: 0,
      cancelled: 0,
    },
    ...{
      takeovers: 0,
      repeats: 0,
      zombies: 0,
      lost: 0,
      wrong: 0,
      redone: 0,
      forgotten: 0,
      stolen: 0,
      woken: 0,
      unheard: 0,
      doubled: 0,
      wakes: 0,
      problems: [],
      ms: 0,
    },
  };
  const end = (): void => void server?.process.kill("SIGQUIT");
  process.once("exit", end);
  let next = 0;
  const lane = async (): Promise<void> => {
    while (!options.isEnough(report)) {
      const number = next++;
      const round = new Round(number, join(folder, String(number)), options, server?.url, report);
      await round.run();
      report.rounds += 1;
      report.ms = performance.now() - began;
      options.onRound?.(report);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.lanes ?? DEFAULT_LANES }, lane));
  } finally {
    process.off("exit", end);
    await server?.stop();
    if (report.problems.length === 0) rmSync(folder, { recursive: true, force: true });
  }
  return report;
}

class Round {
  readonly #number: number;
  readonly #folder: string;
  readonly #options: KillOptions;
  readonly #server: string | undefined;
  readonly #report: KillReport;
  readonly #processes: number;
  readonly #trouble: Trouble;
  readonly #random: () => number;
  readonly #live = new Set<ChildProcess>();
  #store: StoreTrouble | undefined;
  #blows = BLOWS;
  /** Set by the first process that finds nothing unfinished. */
  #isOver = false;

  constructor(
    number: number,
    folder: string,
    options: KillOptions,
    server: string | undefined,
    report: KillReport,
  ) {
    this.#number = number;
    this.#folder = folder;
    this.#options = options;
    this.#server = server;
    this.#report = report;
    this.#processes = PROCESSES[number % PROCESSES.length] as number;
    const troubles = TROUBLES[options.store];
    // A planted fault is looked for where nothing else is wrong.
    this.#trouble = options.fault === undefined ? (troubles[number % troubles.length] as Trouble) : "none";
    this.#random = randomFrom(options.seed * 1_000_003 + number);
  }

  async run(): Promise<void> {
    mkdirSync(this.#folder);
    writeFileSync(this.#ledger, "");
    this.#store = await storeTrouble(this.#trouble, {
      ...{ folder: this.#folder, server: this.#server, schema: `round_${this.#number}` },
      ...{ leaseMs: LEASE_MS, random: this.#random },
    });
    const watch = this.#watch();
    const making = this.#store.make(() => this.#isOver || this.#blows === 0);
    try {
      await Promise.all(Array.from({ length: this.#processes }, () => this.#slot()));
    } finally {
      clearInterval(watch);
      const { troubles } = this.#report;
      troubles[this.#trouble] = (troubles[this.#trouble] ?? 0) + (await making);
      await this.#store.stop();
      this.#judge();
    }
  }

  #watch(): NodeJS.Timeout {
    const limitMs = this.#options.fault === undefined ? SILENCE_MS : FAULT_SILENCE_MS;
    let lines = 0;
    let grewAt = performance.now();
    return setInterval(() => {
      const now = this.#lines;
      if (now > lines) grewAt = performance.now();
      lines = now;
      if (performance.now() - grewAt < limitMs) return;
      this.#complain("not over", `nothing happens for ${limitMs} ms`);
      grewAt = Number.POSITIVE_INFINITY;
      this.#isOver = true;
      for (const child of this.#live) child.kill("SIGKILL");
    }, 200);
  }

  get #ledger(): string {
    return join(this.#folder, "ledger");
  }

  /** One process after another, until one ends by itself. */
  async #slot(): Promise<void> {
    while (!this.#isOver) {
      const blow = this.#draw();
      const { signal, code } = await this.#process(blow);
      if (signal === "SIGKILL") this.#killed(blow);
      else if (this.#store?.isSteady === true || code !== NOT_STARTED) {
        if (code !== 0) this.#complain("ended badly", `with ${code ?? signal}`);
        this.#isOver = true;
      }
    }
  }

  #draw(): Blow | undefined {
    if (this.#blows === 0) return undefined;
    this.#blows -= 1;
    const kind = this.#random();
    const us = Math.floor(this.#random() * 3000);
    if (kind < 0.6) {
      const name = POINTS[Math.floor(this.#random() * POINTS.length)] as string;
      return { kind: "point", name, nth: 1 + Math.floor(this.#random() * 12), us };
    }
    const afterMs = this.#random() * 150;
    const canHalt = this.#processes > 1 && kind > 0.85;
    return { kind: canHalt ? "halt" : "random", afterMs, us };
  }

  #killed(blow: Blow | undefined): void {
    if (blow === undefined || blow.kind === "halt") return;
    const { killsByPoint, killsByProcesses } = this.#report;
    const name = blow.kind === "point" ? blow.name : "random";
    this.#report.kills += 1;
    killsByPoint[name] = (killsByPoint[name] ?? 0) + 1;
    killsByProcesses[this.#processes] = (killsByProcesses[this.#processes] ?? 0) + 1;
  }

  async #process(blow: Blow | undefined): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const log = openSync(join(this.#folder, "log"), "a");
    const child = spawn(process.execPath, programArguments("native-tests/support/kept-runs-server.ts"), {
      env: {
        ...{ ...bareEnvironment(), FRAMEWORK_PROFILE: "prod" },
        ...{ STORE: this.#store?.url, LEDGER: this.#ledger, LEASE_MS: String(LEASE_MS) },
        ...{ RUNS: String(RUNS), KEYS: String(KEYS), CANCELS: String(CANCELS), WAITS: String(WAITS) },
        ...(blow?.kind === "point" && {
          KILL_AT: `${blow.name}:${blow.nth}`,
          KILL_AFTER_US: String(blow.us),
        }),
        ...(this.#options.fault && { FAULT: this.#options.fault }),
      },
      stdio: ["ignore", log, log, "ipc"],
    });
    closeSync(log);
    this.#live.add(child);
    if (blow !== undefined && blow.kind !== "point") child.once("message", () => this.#strike(child, blow));
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    this.#live.delete(child);
    return { code, signal };
  }

  /** In the middle of what the processes do: right behind a line of the ledger. */
  #strike(child: ChildProcess, { kind, afterMs, us }: Extract<Blow, { kind: "random" | "halt" }>): void {
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    setTimeout(() => {
      if (isOver()) return;
      const size = statSync(this.#ledger).size;
      const watch = setInterval(() => {
        if (isOver()) return clearInterval(watch);
        if (statSync(this.#ledger).size === size) return;
        clearInterval(watch);
        const end = process.hrtime.bigint() + BigInt(us) * 1000n;
        while (process.hrtime.bigint() < end);
        if (kind === "random") child.kill("SIGKILL");
        else this.#halt(child);
      }, 1);
    }, afterMs);
  }

  /**
   * For longer than its lease. With PostgreSQL until the others have gone on: wherever it is halted, it
   * holds up none of them. With SQLite it may hold the file.
   */
  #halt(child: ChildProcess): void {
    this.#report.halts += 1;
    const line = { what: "halt", run: "", pid: child.pid as number, at: Date.now() } satisfies LedgerLine;
    appendFileSync(this.#ledger, `${JSON.stringify(line)}\n`);
    child.kill("SIGSTOP");
    const endsAt = performance.now() + LEASE_MS * (2 + this.#random());
    const lines = this.#allLines;
    const watch = setInterval(() => {
      const isHeld = this.#options.store === "postgres" && this.#allLines < lines + LINES_MEANWHILE;
      if (performance.now() < endsAt || (isHeld && !this.#isOver && this.#live.size > 1)) return;
      clearInterval(watch);
      child.kill("SIGCONT");
    }, 50);
  }

  get #allLines(): number {
    return readLedger(this.#ledger).length;
  }

  /** Those of runs: locks are taken as long as a process lives. */
  get #lines(): number {
    return readLedger(this.#ledger).filter(({ what }) => what !== "locked").length;
  }

  #judge(): void {
    const report = this.#report;
    const named = (of: string, length: number) => Array.from({ length }, (_, at) => `${of}${at}`);
    const runs = [...named("k", RUNS), ...named("c", CANCELS), ...named("w", WAITS)];
    const ledger = readLedger(this.#ledger);
    const verdict = judge(ledger, runs, KEYS);
    report.runs += runs.length + KEYS + WAITS;
    report.answers += ledger.filter(({ what }) => what === "answered").length;
    for (const of of ["repeats", "zombies", "takeovers", "cancelled", "wakes"] as const)
      report[of] += verdict[of];
    for (const of of WRONGS) {
      report[of] += verdict[of].length;
      for (const told of verdict[of]) this.#complain(of, told);
    }
  }

  #complain(what: string, told: string): void {
    this.#report.problems.push(
      `${what}: ${told} (${this.#processes} processes, ${this.#trouble}, ${this.#folder})`,
    );
  }
}

/** mulberry32: what is drawn follows from the seed, what the processes make of it does not. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
