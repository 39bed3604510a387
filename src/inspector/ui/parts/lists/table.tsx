// A virtual table: only the visible rows are in the DOM. `j` and `k` move between rows, Enter opens
// one.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { counted } from "../../format/quantity.js";
import { focusView, isFocusLost } from "../../state/focus.js";
import { walkRows } from "../../state/keys.js";
import { columnsThatFit, leastWidth, type Sized } from "../../table/least-width.js";
import { inOrder, inPlace, ROW_HEIGHT, rowsInSight, scrollFor } from "../../table/rows.js";
import { useEdges } from "../edges.js";
import "./table.css";

export interface Column<R> extends Sized {
  readonly title: string;
  readonly align?: "right";
  /** Explanation of the title, on hover. */
  readonly hint?: string;
  /** By what the table sorts at this column; rows without a value come last. */
  order?(row: R): number | string | undefined;
  cell(row: R): ComponentChildren;
}

export interface TableProps<R> {
  readonly label: string;
  readonly rows: readonly R[];
  readonly columns: readonly Column<R>[];
  keyOf(row: R): string;
  onOpen?(row: R): void;
  readonly selected?: string | undefined;
  rowClass?(row: R): string | undefined;
  /** Shown instead of rows. */
  readonly empty: ComponentChildren;
  /** As high as its rows, for short tables inside a page. */
  readonly isShort?: boolean;
  /** The title of the column that it is sorted by, with a minus for the largest first. Default: as given. */
  readonly sorted?: string | undefined;
  onSort?(sorted: string | undefined): void;
  /** Called when the last rows become visible. */
  onEnd?(): void;
}

export function Table<R>(props: TableProps<R>) {
  const { label, keyOf, onOpen, selected, rowClass, empty, isShort = false, onEnd } = props;
  const [isAimed, setAimed] = useState(false);
  const shown = useRef(props.rows);
  const { sorted = "", onSort } = props;
  const by = useRef(sorted);
  const ordered = useMemo(
    () => inOrder(props.rows, props.columns, sorted),
    [props.rows, props.columns, sorted],
  );
  const rows = isAimed && by.current === sorted ? inPlace(shown.current, ordered, keyOf) : ordered;
  by.current = sorted;
  shown.current = rows;
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const [width, setWidth] = useState(Number.POSITIVE_INFINITY);
  const [isWhole, setWhole] = useState(false);
  const fitting = columnsThatFit(props.columns, width);
  const folded = props.columns.filter((column) => !fitting.includes(column));
  const columns = isWhole ? props.columns : fitting;
  const foldedInWords = `${isWhole ? "−" : "+"} ${counted(folded.length, "column")}`;
  // The index among all columns, for screen readers, if some are folded.
  const columnAt = (column: Column<R>): number | undefined =>
    columns.length < props.columns.length ? props.columns.indexOf(column) + 1 : undefined;
  const least = leastWidth(columns.map((column) => column.width));
  // Only horizontal edges are marked: vertical scrolling is expected.
  const edges = useEdges(box, [least]).filter((edge) => edge === "more-left" || edge === "more-right");
  const [active, setActive] = useState<string | undefined>(undefined);
  const focused = useRef<{ readonly key: string; readonly at: number } | undefined>(undefined);
  const walker = useRef({ move(_: number) {}, open() {} });

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => {
      setScroll({ top: element.scrollTop, height: element.clientHeight });
      setWidth(element.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  walker.current = {
    move(by) {
      const from = rows.findIndex((row) => keyOf(row) === (active ?? selected));
      const to = Math.max(
        0,
        Math.min(rows.length - 1, from === -1 ? (by > 0 ? 0 : rows.length - 1) : from + by),
      );
      const row = rows[to];
      const element = box.current;
      if (row === undefined || element === null) return;
      setActive(keyOf(row));
      const top = scrollFor(to, element.scrollTop, element.clientHeight - ROW_HEIGHT);
      if (top !== undefined) element.scrollTop = top;
      requestAnimationFrame(() => element.querySelector<HTMLElement>("tr[data-active]")?.focus());
    },
    open() {
      const row = rows.find((one) => keyOf(one) === active);
      if (row !== undefined) onOpen?.(row);
    },
  };
  useEffect(() => walkRows({ move: (by) => walker.current.move(by), open: () => walker.current.open() }), []);

  // If the focused row was removed, the row at its position gets the focus.
  useLayoutEffect(() => {
    const had = focused.current;
    if (had === undefined) return;
    const at = rows.findIndex((row) => keyOf(row) === had.key);
    if (at !== -1) {
      focused.current = at === had.at ? had : { ...had, at };
      return;
    }
    focused.current = undefined;
    if (!isFocusLost()) return;
    const next = rows[Math.min(had.at, rows.length - 1)];
    const row = next === undefined ? undefined : keyOf(next);
    const drawn = [...(box.current?.querySelectorAll<HTMLElement>("tr[data-row]") ?? [])];
    const element = drawn.find(({ dataset }) => dataset["row"] === row);
    if (element === undefined) return focusView();
    setActive(row);
    element.focus();
  }, [rows]);

  // A row that is selected elsewhere comes into view.
  useLayoutEffect(() => {
    const at = rows.findIndex((row) => keyOf(row) === selected);
    const element = box.current;
    if (at === -1 || element === null || isShort) return;
    const top = scrollFor(at, element.scrollTop, element.clientHeight - ROW_HEIGHT);
    if (top !== undefined) element.scrollTop = top;
  }, [selected]);

  const sight = isShort
    ? { first: 0, end: rows.length, above: 0, below: 0 }
    : rowsInSight(rows.length, scroll.top, scroll.height);
  const isAtEnd = rows.length > 0 && sight.end >= rows.length;
  // Called once per number of rows.
  useEffect(() => {
    if (isAtEnd) onEnd?.();
  }, [isAtEnd, rows.length]);

  return (
    <div class={["table-box", "edged", isShort ? "short" : "", ...edges].join(" ")}>
      <div
        class="table"
        ref={box}
        // Focusable and labelled if it scrolls horizontally, for keyboard and screen readers.
        {...(edges.length > 0 && {
          tabIndex: 0,
          role: "region",
          "aria-label": `${label}, scrolls sideways`,
        })}
        onScroll={({ currentTarget }) =>
          setScroll({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
        }
      >
        <table
          aria-label={label}
          aria-rowcount={rows.length + 1}
          aria-colcount={columns.length < props.columns.length ? props.columns.length : undefined}
          style={{ minWidth: `${least}px` }}
        >
          <colgroup>
            {columns.map(({ title, width }) => (
              <col key={title} style={width === undefined ? {} : { width }} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {columns.map((column) => (
                <th
                  key={column.title}
                  scope="col"
                  title={column.hint}
                  aria-colindex={columnAt(column)}
                  class={column.align === "right" ? "number" : undefined}
                  aria-sort={
                    sorted === column.title
                      ? "ascending"
                      : sorted === `-${column.title}`
                        ? "descending"
                        : undefined
                  }
                >
                  {column.order === undefined || onSort === undefined ? (
                    column.title
                  ) : (
                    <button type="button" class="plain" onClick={() => onSort(nextOrder(column, sorted))}>
                      {column.title}
                    </button>
                  )}
                </th>
              ))}
            </tr>
          </thead>{" "}
          <tbody onPointerEnter={() => setAimed(true)} onPointerLeave={() => setAimed(false)}>
            {sight.above > 0 && (
              <tr class="space" aria-hidden="true" style={{ height: `${sight.above}px` }} />
            )}
            {rows.slice(sight.first, sight.end).map((row, n) => {
              const key = keyOf(row);
              const isActive = key === active;
              return (
                <tr
                  key={key}
                  data-row={key}
                  data-active={isActive ? "" : undefined}
                  aria-rowindex={sight.first + n + 2}
                  aria-selected={key === selected}
                  onFocusCapture={() => {
                    focused.current = { key, at: sight.first + n };
                  }}
                  // Also fired when a row is removed: the rows are checked first.
                  onBlurCapture={() => {
                    const left = focused.current;
                    queueMicrotask(() => {
                      if (focused.current === left) focused.current = undefined;
                    });
                  }}
                  tabIndex={isActive ? 0 : -1}
                  class={[onOpen === undefined ? "" : "opens", rowClass?.(row) ?? ""].join(" ")}
                  onClick={(event) => {
                    if (!isControl(event.target)) onOpen?.(row);
                  }}
                >
                  {columns.map((column) => (
                    <td
                      key={column.title}
                      aria-colindex={columnAt(column)}
                      class={column.align === "right" ? "number" : undefined}
                    >
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              );
            })}
            {sight.below > 0 && (
              <tr class="space" aria-hidden="true" style={{ height: `${sight.below}px` }} />
            )}
          </tbody>
        </table>
        {rows.length === 0 && empty}
      </div>
      {/* Below the table, so that its appearance moves no row. */}
      {folded.length > 0 && rows.length > 0 && (
        <button
          type="button"
          class="folded"
          aria-pressed={isWhole}
          aria-label={`${foldedInWords}: all columns of ${label}`}
          title={`${isWhole ? "Hide" : "Hidden for lack of space"}: ${folded.map(({ title }) => title).join(", ")}`}
          onClick={() => setWhole(!isWhole)}
        >
          {foldedInWords}
        </button>
      )}
    </div>
  );
}

/** Figures begin with the largest; a third click restores the given order. */
function nextOrder<R>({ title, align }: Column<R>, sorted: string): string | undefined {
  const [first, second] = align === "right" ? [`-${title}`, title] : [title, `-${title}`];
  return sorted === first ? second : sorted === second ? undefined : first;
}

/** A click on a link or button must not open the row as well. */
const isControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("a, button, input, label, select") !== null;

/** True if the element is in a row: a focused row must not move. */
export const isInRows = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("tbody tr") !== null;
