// Search and jump: views, circuits, nodes and routes at once; then what the server finds.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { api } from "../client/api.js";
import { useResource } from "../client/resource.js";
import { nodeName } from "../format/node-name.js";
import { PLACES, searchCalls } from "../state/keys.js";
import { allNodes, metrics } from "../state/live.js";
import { go } from "../state/router.js";
import { useStore } from "../state/store.js";
import { type Place, placeOf } from "../url/place.js";
import { hitTargets } from "./search-hits.js";
import { findAll, type Target } from "./search-targets.js";
import "./search.css";

export function Search() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  // Names rarely change: this avoids a render per metrics update.
  const names = useStore(allNodes, (all) =>
    all === undefined
      ? ""
      : all.circuits.map(({ circuit, nodes }) => `${circuit} ${nodes.length}`).join("\n"),
  );
  // `names` changes with the list of circuits.
  const targets = useMemo(() => targetsOf(), [names]);
  const typed = text.trim().slice(0, 200);
  const asked = useSettled(typed);
  const hits = useResource(isOpen && asked.length > 1 ? `find ${asked}` : undefined, () =>
    api.search({ q: asked, in: "facts", limit: 6 }),
  );
  const facts = asked === typed ? hits.value?.facts : undefined;
  const found = useMemo(
    () => (isOpen ? [...findAll(targets, typed, 8), ...hitTargets(facts ?? [], typed)] : []),
    [targets, typed, facts, isOpen],
  );

  // Focuses at once: the next keys are meant for the field.
  useEffect(() => searchCalls.subscribe(() => input.current?.focus()), []);

  const choose = (place: Place) => {
    setText("");
    setOpen(false);
    input.current?.blur();
    go(place);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setAt((n) => Math.max(0, Math.min(found.length - 1, n + (event.key === "ArrowDown" ? 1 : -1))));
    } else if (event.key === "Enter") {
      const target = found[at];
      if (target !== undefined) choose(target.place);
    } else if (event.key === "Escape") {
      event.preventDefault();
      setText("");
      input.current?.blur();
    }
  };
  const isListed = isOpen && found.length > 0;
  return (
    <div class="search" role="search">
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label="Search or jump"
        aria-expanded={isListed}
        aria-controls="search-found"
        aria-activedescendant={isListed && found[at] !== undefined ? `search-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder="Search or jump: name, id, code, label, text  /"
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setAt(0);
          setOpen(true);
        }}
      />
      {isListed && (
        // The field keeps the focus, or a click would close the list first.
        <ul
          id="search-found"
          role="listbox"
          aria-label="Found"
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
        >
          {found.map((target, n) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
            <li
              key={`${target.kind} ${target.text} ${target.under} ${target.id ?? ""}`}
              id={`search-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === at}
              onClick={() => choose(target.place)}
            >
              <span class="dim">{target.kind}</span>
              <span class="cut">{target.text}</span>
              <span class="dim cut">{target.under}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** A text that has not changed for a moment: each is a request. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), 200);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

function targetsOf(): readonly Target[] {
  const views = PLACES.map(
    ({ path, name }): Target => ({ kind: "view", text: name, under: "", place: placeOf([path]) }),
  );
  const all = metrics.get();
  const circuits = (allNodes.get()?.circuits ?? []).flatMap(({ circuit, nodes }): Target[] => [
    { kind: "circuit", text: circuit, under: "", place: placeOf(["circuits", circuit]) },
    ...nodes.map(({ node }): Target => {
      const place = placeOf(["circuits", circuit], { node });
      return { kind: "node", text: nodeName(node), under: circuit, place };
    }),
  ]);
  const routes = new Map<string, Target>();
  for (const { method, route } of all?.http.by_route ?? []) {
    if (route === null) continue;
    const text = `${method} ${route}`;
    routes.set(text, { kind: "route", text, under: "its runs", place: placeOf(["runs"], { route: text }) });
  }
  return [...views, ...circuits, ...routes.values()];
}
