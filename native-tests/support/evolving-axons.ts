// One Axon, and what may be changed of it while runs of it are stored. A run of the first version
// stands at its step "rest"; the rows and columns are those of docs/evolving-runs.md.

import { Axon, MigrationStrategy, Stores, signal, Type, transition } from "framework";
import type { AnyAxon } from "#runtime/axon/axon-types.js";

const HOUR_MS = 3_600_000;
export const Go = signal<number>()("go", Type.Number());
const Went = signal<number>()("went", Type.Number());

/** Notes that a step of a build ran. */
type Note = (what: string) => void;

type Build = "old" | "new";

const stepsOf = (build: Build, note: Note) => {
  const step = (name: string) =>
    transition({
      name,
      run: (n: number): number => {
        note(`${build} ${name}`);
        return n;
      },
    });
  return {
    reserve: step("reserve"),
    release: transition({ name: "release", run: () => note(`${build} release`) }),
    check: step("check"),
    ship: step("ship"),
    weigh: step("weigh"),
    tell: step("tell"),
  };
};

const started = (name = "order", input = Type.Number()) => Axon.start(name, input);
const kept = (
  version: string,
  migrations: readonly object[],
  { name = "order", input = Type.Number() } = {},
) =>
  started(name, input)
    .withVersion(version)
    .withPersistenceStore(Stores.mounted, { migrations: migrations as never });

/** Of the first version; `isSignalled`: its "rest" waits for a signal, else for an hour. */
export function oldAxon(note: Note, isSignalled = false): AnyAxon {
  const { reserve, release, ship, tell } = stepsOf("old", note);
  const line = kept("1.0.0", []).thenCompensated(reserve, release);
  return isSignalled
    ? line
        .waitFor(Go, { name: "rest", take: (n) => n })
        .then(ship)
        .then(tell)
    : line.sleep("rest", HOUR_MS).then(ship).then(tell);
}

interface Change {
  readonly make: (version: string, migrations: readonly object[], note: Note) => AnyAxon;
  readonly isSignalled?: true;
  /** The node at which migrateActiveNode and fallbackToNode let the run go on. */
  readonly active?: string;
  readonly fallback?: string;
}

export const CHANGES: Readonly<Record<string, Change>> = {
  "the code of a step": {
    make(version, migrations, note) {
      const { reserve, release, ship, tell } = stepsOf("new", note);
      const line = kept(version, migrations).thenCompensated(reserve, release).sleep("rest", HOUR_MS);
      return line.then(ship).then(tell);
    },
  },
  "a step is added before its position": {
    make(version, migrations, note) {
      const { check, reserve, release, ship, tell } = stepsOf("new", note);
      const line = kept(version, migrations).then(check).thenCompensated(reserve, release);
      return line.sleep("rest", HOUR_MS).then(ship).then(tell);
    },
  },
  "a step is added behind its position": {
    make(version, migrations, note) {
      const { reserve, release, ship, weigh, tell } = stepsOf("new", note);
      const line = kept(version, migrations).thenCompensated(reserve, release).sleep("rest", HOUR_MS);
      return line.then(ship).then(weigh).then(tell);
    },
  },
  "a step behind its position is removed": {
    make(version, migrations, note) {
      const { reserve, release, ship } = stepsOf("new", note);
      return kept(version, migrations).thenCompensated(reserve, release).sleep("rest", HOUR_MS).then(ship);
    },
  },
  "the step at its position is removed": {
    active: "order/ship",
    make(version, migrations, note) {
      const { reserve, release, ship, tell } = stepsOf("new", note);
      return kept(version, migrations).thenCompensated(reserve, release).then(ship).then(tell);
    },
  },
  "the step at its position is renamed": {
    active: "order/pause",
    make(version, migrations, note) {
      const { reserve, release, ship, tell } = stepsOf("new", note);
      const line = kept(version, migrations).thenCompensated(reserve, release).sleep("pause", HOUR_MS);
      return line.then(ship).then(tell);
    },
  },
  "steps behind its position change places": {
    make(version, migrations, note) {
      const { reserve, release, ship, tell } = stepsOf("new", note);
      const line = kept(version, migrations).thenCompensated(reserve, release).sleep("rest", HOUR_MS);
      return line.then(tell).then(ship);
    },
  },
  "the input's schema is narrower": {
    make(version, migrations, note) {
      const { reserve, release, ship, tell } = stepsOf("new", note);
      const line = kept(version, migrations, { input: Type.Number({ maximum: 0 }) });
      return line.thenCompensated(reserve, release).sleep("rest", HOUR_MS).then(ship).then(tell);
    },
  },
  "the input's schema is wider": {
    make(version, migrations, note) {
      const { reserve, release, ship, tell } = stepsOf("new", note);
      const line = kept(version, migrations, { input: Type.Number({ maximum: 1e9 }) });
      return line.thenCompensated(reserve, release).sleep("rest", HOUR_MS).then(ship).then(tell);
    },
  },
  "a compensation is changed": {
    make(version, migrations, note) {
      const { reserve, ship, tell } = stepsOf("new", note);
      const undo = transition({ name: "give back", run: () => note("new give back") });
      const line = kept(version, migrations).thenCompensated(reserve, undo).sleep("rest", HOUR_MS);
      return line.then(ship).then(tell);
    },
  },
  "a compensation is removed": {
    make(version, migrations, note) {
      const { reserve, ship, tell } = stepsOf("new", note);
      return kept(version, migrations).then(reserve).sleep("rest", HOUR_MS).then(ship).then(tell);
    },
  },
  "the signal that it waits for is another": {
    isSignalled: true,
    make(version, migrations, note) {
      const { reserve, release, ship, tell } = stepsOf("new", note);
      const line = kept(version, migrations).thenCompensated(reserve, release);
      return line
        .waitFor(Went, { name: "rest", take: (n) => n })
        .then(ship)
        .then(tell);
    },
  },
  "the Axon is renamed": {
    ...{ active: "purchase/rest", fallback: "purchase/ship" },
    make(version, migrations, note) {
      const { reserve, release, ship, tell } = stepsOf("new", note);
      const line = kept(version, migrations, { name: "purchase" }).thenCompensated(reserve, release);
      return line.sleep("rest", HOUR_MS).then(ship).then(tell);
    },
  },
};

/** The columns: what the new build says of runs of the first version. */
export const COLUMNS = [
  "same version",
  "`fail`",
  "`migrateActiveNode`",
  "`fallbackToNode`",
  "`resumeFromStart`",
  "`completeOnOldVersion`",
] as const;
export type Column = (typeof COLUMNS)[number];

/** The changed Axon, as the new build mounts it. */
export function newAxon(change: string, column: Column, note: Note): AnyAxon {
  const { make, isSignalled, active = "order/rest", fallback = "order/ship" } = CHANGES[change] as Change;
  if (column === "same version") return make("1.0.0", [], note);
  const strategy = {
    "`fail`": () => MigrationStrategy.fail(),
    "`migrateActiveNode`": () => MigrationStrategy.migrateActiveNode("order/rest", active),
    "`fallbackToNode`": () => MigrationStrategy.fallbackToNode(fallback),
    "`resumeFromStart`": () => MigrationStrategy.resumeFromStart(),
    "`completeOnOldVersion`": () => MigrationStrategy.completeOnOldVersion(oldAxon(note, isSignalled)),
  }[column]();
  return make("2.0.0", [{ from: "1.0.0", strategy }], note);
}
