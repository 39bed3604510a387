// A button with confirmation: the first press shows what will happen, the second does it.

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import { roleOf } from "../client/connection.js";
import { Problem, sayingOf } from "../client/problem.js";
import { focusView, isFocusLost } from "../state/focus.js";
import { closeByKey } from "../state/keys.js";
import { link } from "../state/live.js";
import { useStore } from "../state/store.js";
import "./ask-once.css";

export interface AskOnceProps {
  /** Label of the action: "Let go". */
  readonly children: ComponentChildren;
  /** The question before the action: "The run goes on with its own input?" */
  readonly says: string;
  readonly class?: string | undefined;
  readonly disabled?: boolean | undefined;
  act(): Promise<unknown>;
  onProblem?(problem: Problem): void;
}

export function AskOnce({ children, says, class: className, disabled, act, onProblem }: AskOnceProps) {
  const [state, setState] = useState<"idle" | "asking" | "acting">("idle");
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const yes = useRef<HTMLButtonElement>(null);
  const first = useRef<HTMLButtonElement>(null);
  const isViewer = useStore(link, (one) => roleOf(one) === "viewer");

  // Before painting: the pressed button is removed, and its focus with it.
  useLayoutEffect(() => {
    if (state === "asking") yes.current?.focus();
  }, [state]);

  useEffect(() => {
    if (state !== "asking") return;
    return closeByKey(() => setState("idle"));
  }, [state]);

  // The question had the focus and is removed.
  const isIdle = state === "idle";
  useLayoutEffect(() => {
    if (isIdle) return;
    return () => {
      if (!isFocusLost()) return;
      if (first.current === null) focusView();
      else first.current.focus();
    };
  }, [isIdle]);

  // Not `disabled`, which would remove the focus from the pressed button.
  const isActing = state === "acting";
  const run = async () => {
    if (isActing) return;
    setState("acting");
    setProblem(undefined);
    try {
      await act();
    } catch (error) {
      const wrong = error instanceof Problem ? error : new Problem(0, { title: String(error) });
      setProblem(wrong);
      onProblem?.(wrong);
    }
    setState("idle");
  };

  if (state !== "idle")
    return (
      <span class="ask-once" role="group" aria-label={says}>
        <span title={says}>{says}</span>
        <button type="button" class="primary" ref={yes} aria-disabled={isActing} onClick={run}>
          Yes
        </button>
        <button
          type="button"
          aria-disabled={isActing}
          onClick={() => {
            if (!isActing) setState("idle");
          }}
        >
          No
        </button>
      </span>
    );
  return (
    <>
      <button
        type="button"
        ref={first}
        class={className}
        disabled={disabled === true || isViewer}
        title={isViewer ? "Requires the operator's token" : undefined}
        onClick={() => setState("asking")}
      >
        {children}
      </button>
      {problem !== undefined && onProblem === undefined && (
        <span class="fault" role="alert" title={sayingOf(problem, "action")}>
          {sayingOf(problem, "action")}
        </span>
      )}
    </>
  );
}
