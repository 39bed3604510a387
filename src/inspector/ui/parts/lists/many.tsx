// Acts on chosen rows, one after the other: a column to choose them, a bar with their number and the
// actions, and a result for each. A row that was acted on stays on screen with its result.

import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

import { Problem, sayingOf } from "../../client/problem.js";
import { counted } from "../../format/quantity.js";
import { inFirstSeenOrder } from "../../table/rows.js";
import { AskOnce } from "../ask-once.js";
import type { Column } from "./table.js";

/** Acted-on rows that stay. */
const MOST = 500;

interface ManyAction<R> {
  readonly name: string;
  /** What happens to the rows: "Their completed steps are compensated." */
  readonly says?: string;
  readonly disabled?: boolean;
  fits(row: R): boolean;
  /** Resolves to the result in words. */
  act(row: R): Promise<string>;
}

export interface Many<R> {
  /** The listed rows and those acted on, in the order in which they were first listed. */
  readonly rows: readonly R[];
  readonly column: Column<R>;
  resultOf(row: R): string | undefined;
  keep(row: R): void;
  drop(row: R): void;
  bar(
    shown: readonly R[],
    actions: readonly ManyAction<R>[],
    children?: ComponentChildren,
  ): ComponentChildren;
}

export function useMany<R>(listed: readonly R[], keyOf: (row: R) => string, onDone: () => void): Many<R> {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [results, setResults] = useState<ReadonlyMap<string, string>>(new Map());
  const [kept, setKept] = useState<readonly R[]>([]);
  const seen = useRef<readonly string[]>([]);
  const keys = new Set(listed.map(keyOf));
  const all = [...listed, ...kept.filter((row) => !keys.has(keyOf(row)))];
  const rows = inFirstSeenOrder(seen.current, all, keyOf);
  seen.current = rows.map(keyOf);

  const drop = (row: R) => setKept((before) => before.filter((one) => keyOf(one) !== keyOf(row)));
  const keep = (row: R) =>
    setKept((before) => [row, ...before.filter((one) => keyOf(one) !== keyOf(row))].slice(0, MOST));
  const choose = (of: readonly R[], isChosen: boolean) =>
    setChosen((before) => {
      const next = new Set(before);
      for (const row of of) isChosen ? next.add(keyOf(row)) : next.delete(keyOf(row));
      return next;
    });
  const actOn = async (of: readonly R[], { act }: ManyAction<R>) => {
    // One at a time: what failed together would fail together again.
    for (const row of of) {
      keep(row);
      const result = await act(row).catch((error: unknown) => {
        if (error instanceof Problem) return sayingOf(error, "action");
        throw error;
      });
      setResults((before) => new Map(before).set(keyOf(row), result));
      choose([row], false);
    }
    onDone();
  };
  const box = (label: string, of: readonly R[]) => (
    <input
      type="checkbox"
      aria-label={label}
      checked={of.length > 0 && of.every((row) => chosen.has(keyOf(row)))}
      onChange={({ currentTarget }) => choose(of, currentTarget.checked)}
    />
  );
  return {
    rows,
    column: { title: "", width: "40px", cell: (row) => box(`Select ${keyOf(row)}`, [row]) },
    resultOf: (row) => results.get(keyOf(row)),
    keep,
    drop,
    bar(shown, actions, children) {
      const picked = shown.filter((row) => chosen.has(keyOf(row)));
      return (
        shown.length > 0 && (
          <span class="many" role="group" aria-label="Selected rows">
            <label>
              {box("Select all", shown)} {picked.length} of {shown.length} selected
            </label>
            {picked.length > 0 && children}
            {picked.length > 0 &&
              actions.map((action) => {
                const fitting = picked.filter(action.fits);
                return (
                  <AskOnce
                    key={action.name}
                    says={`${action.name} ${counted(fitting.length, "row")}, one after the other? ${action.says ?? ""}`}
                    disabled={fitting.length === 0 || action.disabled}
                    act={() => actOn(fitting, action)}
                  >
                    {action.name} {fitting.length}
                  </AskOnce>
                );
              })}
          </span>
        )
      );
    },
  };
}
