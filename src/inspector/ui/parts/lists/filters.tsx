// The filters of a list. Every filter is a URL parameter, so that a link shows the same list.

import { useEffect, useRef, useState } from "preact/hooks";

import { isoMoment, localMoment } from "../../format/moment.js";
import { durationText, microseconds } from "../../format/typed-duration.js";
import { metrics } from "../../state/live.js";
import { adjust, choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import type { Place } from "../../url/place.js";
import { Segments } from "../segments.js";
import { Chips } from "./chips.js";
import "./filters.css";

/** The first option of `segments` and `order`, "", is the default and is not in the URL. */
export type Filter =
  | {
      readonly kind: "segments" | "order";
      readonly name: string;
      readonly label: string;
      readonly options: readonly (readonly [value: string, text: string])[];
    }
  | { readonly kind: "circuit" | "route" | "longer" }
  /** A free text search. */
  | { readonly kind: "text"; readonly placeholder: string }
  /** A text, or a moment in ISO format, that is applied when it is complete: each change is a request. */
  | {
      readonly kind: "field" | "moment";
      readonly name: string;
      readonly label: string;
      /** Of a whole valid text, as in HTML. */
      readonly pattern?: string;
      readonly hint?: string;
    }
  /** Filters set only by a link. */
  | { readonly kind: "chips"; readonly names: readonly string[] };

export function Filters({ of }: { readonly of: readonly Filter[] }) {
  return (
    <div class="filters">
      {of.map((filter) => (
        <One key={"name" in filter ? filter.name : filter.kind} filter={filter} />
      ))}
    </div>
  );
}

/** True if a filter leaves rows out. */
export const isNarrowed = (filters: readonly Filter[], { params }: Place): boolean =>
  filters.some((filter) => filter.kind !== "order" && namesOf(filter).some((name) => params.has(name)));

function namesOf(filter: Filter): readonly string[] {
  if (filter.kind === "chips") return filter.names;
  if ("name" in filter) return [filter.name];
  return [filter.kind === "longer" ? "min_us" : filter.kind === "text" ? "filter" : filter.kind];
}

function One({ filter }: { readonly filter: Filter }) {
  const { params } = useStore(place);
  switch (filter.kind) {
    case "circuit":
    case "route":
      return <Choice name={filter.kind} />;
    case "longer":
      return <LongerThan />;
    case "text":
      return (
        <input
          type="search"
          aria-label="Filter"
          placeholder={filter.placeholder}
          value={params.get("filter") ?? ""}
          onInput={({ currentTarget }) => adjust({ filter: currentTarget.value })}
        />
      );
    case "field":
    case "moment":
      return <Field {...filter} />;
    case "chips":
      return <Chips names={filter.names} />;
    default: {
      const { name, label, options } = filter;
      const value = options.find(([option]) => option === params.get(name))?.[0] ?? "";
      const pick = (next: string) => choose({ [name]: next });
      return <Segments label={label} options={options} value={value} onChoose={pick} />;
    }
  }
}

/** A select of the names with metrics, or all. */
function Choice({ name }: { readonly name: "circuit" | "route" }) {
  const value = useStore(place, ({ params }) => params.get(name) ?? "");
  const known = useStore(metrics, (all) => {
    const routes = all?.http.by_route.flatMap(({ method, route }) =>
      route === null ? [] : `${method} ${route}`,
    );
    const names = name === "circuit" ? all?.circuits.map(({ circuit }) => circuit) : routes?.sort();
    return [...new Set(names)].join("\n");
  });
  const shown = known.split("\n").filter((option) => option !== "");
  // A link may name one that no longer exists.
  if (value !== "" && !shown.includes(value)) shown.push(value);
  return (
    <select
      aria-label={name === "circuit" ? "Circuit" : "Route"}
      value={value}
      onChange={({ currentTarget }) => choose({ [name]: currentTarget.value })}
    >
      <option value="">All {name}s</option>
      {shown.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

function Field({ name, label, kind, pattern, hint }: Extract<Filter, { readonly kind: "field" | "moment" }>) {
  const given = useStore(place, ({ params }) => params.get(name) ?? "");
  const shown = kind === "field" ? given : localMoment(given);
  const [text, setText] = useState(shown);
  useEffect(() => setText(shown), [shown]);
  const input = {
    value: text,
    onInput: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) =>
      setText(currentTarget.value),
    onChange: ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
      const { value } = currentTarget;
      if (!currentTarget.checkValidity()) return;
      choose({ [name]: kind === "field" ? value.trim() : isoMoment(value), event: undefined });
    },
  };
  return (
    <label class="field" title={hint}>
      <span class="dim">{label}</span>
      {kind === "field" ? (
        <input type="search" pattern={pattern} {...input} />
      ) : (
        <input type="datetime-local" {...input} />
      )}
    </label>
  );
}

function LongerThan() {
  const here = useStore(place);
  const least = here.params.get("min_us");
  const given = least === undefined ? "" : durationText(Number(least));
  const [text, setText] = useState(given);
  // Back, forward and links also change the text, possibly before typed text was applied. Other
  // changes of the URL leave the typed text alone.
  const known = useRef(least);
  useEffect(() => {
    if (known.current === least) return;
    known.current = least;
    setText(given);
  }, [here]);
  const us = microseconds(text);
  const isWrong = text.trim() !== "" && us === undefined;
  return (
    <>
      <input
        class="longer"
        type="text"
        aria-label="Longer than"
        aria-invalid={isWrong}
        placeholder="longer than, 5 ms"
        title={isWrong ? "Use a number with us, ms or s" : "Minimum duration"}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onChange={() => {
          if (isWrong) return;
          known.current = us === undefined ? undefined : String(us);
          choose({ min_us: known.current });
        }}
      />
      {isWrong && (
        <span class="fault" role="status">
          Use a number with us, ms or s
        </span>
      )}
    </>
  );
}
