// Dead letters: input, attempts, labels, and re-driving or discarding one or many.

import { useState } from "preact/hooks";
import type { DeadLetterRow } from "../../../api/dead-letters.js";
import { api, type RedrivenData } from "../../client/api.js";
import { useResource } from "../../client/resource.js";
import { nodeName } from "../../format/node-name.js";
import { count, counted } from "../../format/quantity.js";
import { Ago } from "../../parts/ago.js";
import { AskOnce } from "../../parts/ask-once.js";
import { Link } from "../../parts/link.js";
import type { Filter } from "../../parts/lists/filters.js";
import { List } from "../../parts/lists/list.js";
import { type Many, useMany } from "../../parts/lists/many.js";
import type { Column } from "../../parts/lists/table.js";
import { Empty } from "../../parts/notice.js";
import { RunLabels } from "../../parts/run-labels.js";
import { askLetters } from "../../state/live.js";
import { choose, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { LetterDrawer } from "./letter-drawer.js";
import { RESULTS } from "./results.js";

/** The server's limit of one list. */
const MOST = 500;
const DISCARDED = "discarded";

const FILTERS: readonly Filter[] = [
  { kind: "text", placeholder: "circuit, step or error" },
  { kind: "chips", names: ["circuit", "node"] },
];

/** Results of re-driven letters, and each letter's attempts before. */
type Results = ReadonlyMap<string, RedrivenData & { readonly before: number }>;

export function DeadView() {
  const { params } = useStore(place);
  // The circuit filters on the server; the search text filters the listed letters only.
  const circuit = params.get("circuit");
  const node = params.get("node");
  const about = { ...(circuit !== undefined && { circuit }), ...(node !== undefined && { node }) };
  const key = JSON.stringify(["letters", about]);
  const asked = useResource(key, () => api.letters({ ...about, limit: MOST }), 10_000);
  const { value, reload } = asked;
  const wanted = params.get("filter") ?? "";
  const [results, setResults] = useState<Results>(new Map());
  const letters = value?.letters ?? [];
  const many = useMany(letters, ({ id }) => id, reload);
  const shown = many.rows.filter(
    (letter) =>
      isAbout(letter, wanted) &&
      (circuit === undefined || letter.circuit === circuit) &&
      (node === undefined || letter.node === node),
  );
  // A store may have more letters than it listed.
  const areAll =
    value !== undefined && (value.total === null ? letters.length < MOST : value.total <= letters.length);
  const isWaiting = (letter: DeadLetterRow) =>
    results.get(letter.id)?.result !== "done" && many.resultOf(letter) !== DISCARDED;
  const waiting = shown.filter(isWaiting);
  const letterId = params.get("letter");
  const selected = shown.find(({ id }) => id === letterId);
  const isGone = letterId !== undefined && selected === undefined;

  const redrive = async (letter: DeadLetterRow, skipUndone = false) => {
    const redriven = await api.redrive(letter.id, skipUndone);
    setResults((all) => new Map(all).set(letter.id, { ...redriven, before: letter.attempts }));
    // A run in flight shows its result with the letter.
    if (redriven.result !== "running") many.keep(letter);
    askLetters();
    return RESULTS[redriven.result].name;
  };
  return (
    <>
      <div class="view">
        <List
          title="Dead letters"
          filters={FILTERS}
          counts={
            value !== undefined && (
              <span class="dim">
                {counted(waiting.length, "letter")}
                {value.total === null
                  ? letters.length >= MOST && `, oldest ${count(MOST)} only`
                  : value.total > letters.length &&
                    `, of the oldest ${count(letters.length)} of ${count(value.total)}`}
              </span>
            )
          }
          asked={asked}
          what="the dead letters"
          label="Dead letters"
          rows={shown}
          columns={columnsFor(many, results, { ...about, filter: wanted }, async (letter) => {
            await redrive(letter);
            reload();
          })}
          keyOf={({ id }) => id}
          selected={selected?.id}
          onOpen={({ id }) => choose({ letter: id })}
          noneFits={{
            title: wanted !== "" && !areAll ? `No match in the oldest ${count(letters.length)}` : "No match",
          }}
          empty={
            <Empty title="No dead letters">Steps with a dead-letter policy store failed inputs here.</Empty>
          }
        >
          {many.bar(shown, [
            { name: "Re-drive", fits: isWaiting, act: (letter) => redrive(letter) },
            {
              name: "Discard",
              says: "They cannot be re-driven afterwards.",
              fits: isWaiting,
              act: async ({ id }) => {
                await api.discard(id);
                askLetters();
                return DISCARDED;
              },
            },
          ])}
          {value !== undefined && isGone && (
            <p class="dim" role="status">
              Letter <code>{letterId}</code> is not listed: re-driven, discarded, hidden by the filter, or
              beyond the limit.
            </p>
          )}
        </List>
      </div>
      {selected !== undefined && (
        <LetterDrawer
          key={selected.id}
          letter={selected}
          redriven={resultOf(selected, results)}
          onRedriveSkipping={() => redrive(selected, true).then(reload)}
          onClose={() => choose({ letter: undefined })}
          onDiscarded={() => {
            many.drop(selected);
            choose({ letter: undefined });
            reload();
            askLetters();
          }}
        />
      )}
    </>
  );
}

function columnsFor(
  many: Many<DeadLetterRow>,
  results: Results,
  here: Readonly<Record<string, string>>,
  redrive: (letter: DeadLetterRow) => Promise<void>,
): readonly Column<DeadLetterRow>[] {
  return [
    many.column,
    { title: "Failed", width: "104px", cell: ({ failed_at }) => <Ago at={failed_at} /> },
    {
      title: "Step",
      width: "26%",
      cell: ({ id, circuit, node, kind }) => (
        <>
          <Link path={["dead"]} params={{ ...here, letter: id }}>
            {circuit} · <strong>{nodeName(node)}</strong>
          </Link>
          {kind === "compensation" && <span class="strong"> compensation</span>}
        </>
      ),
    },
    {
      title: "Error",
      cell: ({ error }) => (
        <span class="fault">
          {error.code !== null && <code>{error.code}</code>} {error.title}
        </span>
      ),
    },
    { title: "Labels", width: "128px", folds: 2, cell: ({ labels }) => <RunLabels of={labels} /> },
    {
      title: "Attempts",
      width: "64px",
      folds: 1,
      align: "right",
      hint: "Failed runs",
      cell: ({ attempts }) => attempts,
    },
    {
      title: "Result",
      width: "228px",
      cell: (letter) => {
        const result = resultOf(letter, results)?.result;
        return (
          <>
            {result !== undefined && (
              <strong
                class={result === "done" || result === "running" ? undefined : "fault"}
                title={RESULTS[result].why}
              >
                {RESULTS[result].name}{" "}
              </strong>
            )}
            {result === undefined && many.resultOf(letter)}
            {result !== "done" && many.resultOf(letter) !== DISCARDED && (
              <AskOnce says="Re-drive this letter?" act={() => redrive(letter)}>
                Re-drive
              </AskOnce>
            )}
          </>
        );
      },
    },
  ];
}

/** A running re-drive that failed since has one more attempt. */
function resultOf({ id, attempts }: DeadLetterRow, results: Results): RedrivenData | undefined {
  const result = results.get(id);
  return result?.result === "running" && attempts > result.before ? undefined : result;
}

function isAbout({ circuit, node, label, error }: DeadLetterRow, wanted: string): boolean {
  const text = `${circuit} ${node} ${label} ${error.code ?? ""} ${error.title}`.toLowerCase();
  return text.includes(wanted.trim().toLowerCase());
}
