// Notices in place of data: empty, loading, or failed.

import type { ComponentChildren } from "preact";

import { type Asked, type Problem, remedyOf } from "../client/problem.js";
import "./notice.css";

/** Explains what would appear here, and how. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="notice">
      <strong>{title}</strong>
      {children !== undefined && <p class="dim">{children}</p>}
    </div>
  );
}

/** Reserves the place of the data. */
export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="notice" role="status">
      <span class="dim">Loading {what}…</span>
    </div>
  );
}

export interface WrongProps {
  readonly problem: Problem;
  /** Default "shown". */
  readonly asked?: Asked;
  onAgain?(): void;
}

export function Wrong({ problem, asked, onAgain }: WrongProps) {
  const remedy = remedyOf(problem, asked);
  // A missing capability (501) is not a failure, and a retry would not help.
  if (problem.status === 501)
    return (
      <div class="notice" role="status">
        <strong>{problem.title}</strong>
        {problem.detail !== undefined && <p class="dim">{problem.detail}</p>}
        {remedy !== undefined && <p class="dim">{remedy}</p>}
      </div>
    );
  return (
    <div class="wrong" role="alert">
      <strong>{problem.title}</strong>
      {problem.code !== undefined && <code> {problem.code}</code>}
      {problem.detail !== undefined && problem.detail !== problem.title && <p>{problem.detail}</p>}
      {problem.status >= 500 && problem.question !== "" && <p>{problem.question}</p>}
      {remedy !== undefined && <p class="dim">{remedy}</p>}
      {onAgain !== undefined && (
        <button type="button" onClick={onAgain}>
          Retry
        </button>
      )}
    </div>
  );
}
