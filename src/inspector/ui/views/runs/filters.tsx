import { useEffect, useRef, useState } from "preact/hooks";

import { Chips } from "../../parts/chips.js";
import { Segments } from "../../parts/segments.js";
import { metrics } from "../../state/live.js";
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { durationText, microseconds } from "./run-filters.js";

const STATUSES = [
  ["", "All"],
  ["faulted", "Faulted"],
  ["completed", "Completed"],
  ["aborted", "Aborted"],
] as const;
const ORDERS = [
  ["newest", "Newest"],
  ["slowest", "Slowest"],
] as const;

/** What narrows the table; what cannot be chosen here but came by a link stands as a chip. */
export function Filters() {
  const { params } = useStore(place);
  const routes = useStore(metrics, (all) =>
    [
      ...new Set(
        all?.http.by_route.flatMap(({ method, route }) => (route === null ? [] : `${method} ${route}`)),
      ),
    ]
      .sort()
      .join("\n"),
  );
  const status = STATUSES.find(([value]) => value === params.get("status"))?.[0] ?? "";
  const order = params.get("order") === "slowest" ? "slowest" : "newest";
  return (
    <div class="filters">
      <Segments
        label="Outcome"
        options={STATUSES}
        value={status}
        onChoose={(value) => choose({ status: value })}
      />
      <Segments
        label="Order"
        options={ORDERS}
        value={order}
        onChoose={(value) => choose({ order: value === "newest" ? undefined : value })}
      />
      <CircuitChoice />
      <Choice name="route" all="All routes" options={routes.split("\n")} />
      <LongerThan />
      <Chips names={["node", "request"]} />
    </div>
  );
}

interface ChoiceProps {
  readonly name: "circuit" | "route";
  readonly all: string;
  readonly options: readonly string[];
}

/** One of the circuits that there are figures of, or all. */
export function CircuitChoice() {
  const names = useStore(metrics, (all) => all?.circuits.map(({ circuit }) => circuit).join("\n") ?? "");
  return <Choice name="circuit" all="All circuits" options={names.split("\n")} />;
}

function Choice({ name, all, options }: ChoiceProps) {
  const value = useStore(place, ({ params }) => params.get(name) ?? "");
  const shown = options.filter((option) => option !== "");
  // A link may name one that has gone.
  if (value !== "" && !shown.includes(value)) shown.push(value);
  return (
    <select
      aria-label={name === "circuit" ? "Circuit" : "Route"}
      value={value}
      onChange={({ currentTarget }) => choose({ [name]: currentTarget.value })}
    >
      <option value="">{all}</option>
      {shown.map((option) => (
        <option key={option} value={option}>
          {option}
        </option>
      ))}
    </select>
  );
}

export function LongerThan() {
  const here = useStore(place);
  const least = here.params.get("min_us");
  const given = least === undefined ? "" : durationText(Number(least));
  const [text, setText] = useState(given);
  // Back and forward, and links, change it too; also so soon that what was typed never got here.
  // Any other change of the place leaves what is being typed alone.
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
        title={isWrong ? "A number with us, ms or s" : "Runs that took at least that long"}
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
          A number with us, ms or s
        </span>
      )}
    </>
  );
}
