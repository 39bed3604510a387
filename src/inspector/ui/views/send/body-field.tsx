// The request body, from the route's schema: a template, a valid sample, or an edge case.

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Route } from "../../../api/circuits.js";
import { api, type SampleData } from "../../client/api.js";
import { Problem } from "../../client/problem.js";
import { prettyJson } from "../../json/json-tokens.js";
import { Wrong } from "../../parts/notice.js";
import { Json } from "../../parts/values/json.js";
import { FORM, formText } from "./form-text.js";

export interface BodyFieldProps {
  readonly route: Route;
  readonly body: string;
  /** Incremented at each manual change of the path. */
  readonly pathEdits: number;
  /** True if a sample fills it at first. */
  readonly isFresh: boolean;
  onBody(text: string): void;
  /** For a route without a body: values of its path and query parameters. */
  onParameters(values: unknown): void;
}

type Filled =
  | { readonly kind: "by hand" | "filled in" }
  | { readonly kind: "asking" }
  | { readonly kind: "template" }
  | { readonly kind: "sample"; readonly sample: SampleData }
  | { readonly kind: "refused"; readonly problem: Problem };

export function BodyField({ route, body, pathEdits, isFresh, onBody, onParameters }: BodyFieldProps) {
  const [filled, setFilled] = useState<Filled>({ kind: isFresh ? "asking" : "filled in" });
  const [seed, setSeed] = useState("");
  const asked = useRef(0);
  const seedEdits = useRef(0);
  const takesBody = route.input_schema !== null;
  const isFillable = takesBody || route.parameters_schema !== null;
  const { method, path } = route;

  const textOf = route.body_type === FORM ? formText : prettyJson;
  const put = (value: unknown) => (takesBody ? onBody(textOf(value)) : onParameters(value));
  const fill = async (what: "template" | "random" | "edge", wanted?: number) => {
    asked.current += 1;
    const mine = asked.current;
    const edits = seedEdits.current;
    try {
      if (what === "template") {
        const { template } = await api.template({ method, path });
        if (mine !== asked.current) return;
        put(template);
        setFilled({ kind: "template" });
        return;
      }
      const sample = await api.sample({
        method,
        path,
        mode: what,
        ...(wanted === undefined ? {} : { seed: wanted }),
      });
      if (mine !== asked.current) return;
      put(sample.sample);
      // A seed that was typed meanwhile stays.
      if (edits === seedEdits.current) setSeed(String(sample.seed));
      setFilled({ kind: "sample", sample });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (mine === asked.current) setFilled({ kind: "refused", problem: error });
    }
  };
  // Pending responses are ignored.
  const byHand = () => {
    asked.current += 1;
    setFilled({ kind: "by hand" });
  };
  // Runs before a response can arrive, which would overwrite the path of a route without a body.
  useLayoutEffect(() => {
    if (pathEdits > 0 && !takesBody) byHand();
  }, [pathEdits]);
  // The form starts with a template. Once for each route.
  useEffect(() => {
    if (isFillable && isFresh) void fill("random");
  }, [method, path]);

  if (!isFillable)
    return (
      <label>
        <span class="dim">
          {route.body_type === null ? "Body (the route declares none)" : `Body, ${route.body_type}`}
        </span>
        <Text rows={3} body={body} onBody={onBody} />
      </label>
    );
  const wanted = /^\d{1,10}$/.test(seed) ? Number(seed) : undefined;
  return (
    <div class="body">
      <div class="fill">
        <span class="dim">{takesBody ? `Body, ${route.body_type}` : "Path and query"}</span>
        <button type="button" onClick={() => fill("template")}>
          Template
        </button>
        <button type="button" onClick={() => fill("random")}>
          Valid sample
        </button>
        <button type="button" onClick={() => fill("edge")}>
          {" "}
          Edge case{" "}
        </button>
        <label>
          <span class="dim">Seed </span>
          <input
            class="seed"
            type="text"
            inputMode="numeric"
            aria-label="Seed"
            value={seed}
            onInput={({ currentTarget }) => {
              seedEdits.current += 1;
              setSeed(currentTarget.value);
            }}
            onChange={() =>
              wanted !== undefined &&
              fill(filled.kind === "sample" && filled.sample.mode === "edge" ? "edge" : "random", wanted)
            }
          />
        </label>
      </div>
      <p class="filled" role="status">
        {filled.kind === "asking" && <span class="dim">Loading a sample…</span>}
        {filled.kind === "filled in" && <span class="dim">Filled in</span>}
        {filled.kind === "by hand" && <span class="dim">Edited by hand</span>}
        {filled.kind === "template" && <span class="dim">Minimal valid body</span>}
        {filled.kind === "sample" && <About sample={filled.sample} />}
      </p>
      {filled.kind === "refused" && <Wrong problem={filled.problem} asked="once" />}
      {takesBody && (
        <Text
          rows={Math.min(22, Math.max(8, body.split("\n").length))}
          body={body}
          onBody={(text) => {
            onBody(text);
            byHand();
          }}
        />
      )}
      <details>
        <summary>Schema</summary>
        <Json value={route.input_schema ?? route.parameters_schema} what="the schema" />
      </details>
    </div>
  );
}

function About({ sample: { mode, is_valid, note, seed } }: { readonly sample: SampleData }) {
  const what = mode === "random" ? "Valid sample" : is_valid ? "Edge case, valid" : "Edge case, invalid";
  return (
    <span class={is_valid ? "dim" : "strong"}>
      {what}, seed {seed}
      {note !== null && `: ${note}`}
    </span>
  );
}

interface TextProps {
  readonly rows: number;
  readonly body: string;
  onBody(text: string): void;
}

function Text({ rows, body, onBody }: TextProps) {
  return (
    <textarea
      class="mono"
      aria-label="Body"
      rows={rows}
      spellcheck={false}
      value={body}
      onInput={({ currentTarget }) => onBody(currentTarget.value)}
    />
  );
}
