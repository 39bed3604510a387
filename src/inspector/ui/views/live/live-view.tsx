// The live feed. It pauses while the operator reads it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";

import type { FeedEvent } from "../../../api/events.js";
import { Connection, FULL_WAIT_MS, type Link, type Subscription } from "../../client/connection.js";
import { FEED_FULL } from "../../client/feed-full.js";
import { token } from "../../client/session.js";
import { counted } from "../../format/quantity.js";
import { type Filter, Filters } from "../../parts/lists/filters.js";
import { isInRows, Table } from "../../parts/lists/table.js";
import { Empty, Loading } from "../../parts/notice.js";
import { lostEvents, metrics } from "../../state/live.js";
import { go, place } from "../../state/router.js";
import { useStore } from "../../state/store.js";
import { type Place, placeOf } from "../../url/place.js";
import { END_FILTERS, endsIn } from "../runs/run-filters.js";
import { LIVE_COLUMNS, runOf } from "./live-columns.js";
import { emptyStream, releaseAll, type Stream, takeBatch } from "./live-rows.js";
import "./live.css";

const FILTERS: readonly Filter[] = [
  { kind: "circuit" },
  {
    kind: "segments",
    name: "show",
    label: "Events",
    options: [
      ["", "Runs"],
      ["nodes", "Runs + nodes"],
    ],
  },
  ...END_FILTERS,
  { kind: "longer" },
];

/** Reason why new events wait. */
type Hold = "paused" | "scrolled" | "aiming" | "focused";
export function LiveView() {
  const here = useStore(place);
  const subscription = useMemo(() => subscriptionOf(here), [here]);
  const { stream, link, isPaused, setPaused, setReading, clear } = useStream(subscription);
  const lost = useStore(lostEvents);
  const names = useStore(metrics, (all) => all?.circuits.map(({ circuit }) => circuit).join("\n") ?? "");
  const box = useRef<HTMLDivElement>(null);
  const circuit = here.params.get("circuit");
  return (
    <div class="view live">
      <div class="head">
        <h1>Live</h1>
        <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          {isPaused ? "Follow" : "Pause"}
        </button>
        <Filters of={FILTERS} />
        <button type="button" class="plain" onClick={clear}>
          Clear
        </button>
      </div>
      <p class="line dim">
        <span>{stateOf(link, isPaused, stream.waiting.length > 0)}</span>
        {circuit !== undefined && names !== "" && !names.split("\n").includes(circuit) && (
          <span class="fault" role="status">
            Unknown circuit {circuit}
          </span>
        )}
        <span>{counted(stream.seen, "event")}</span>
        <span class={lost > 0 ? "strong" : undefined} title="Feed events not sent: all clients, since start">
          {counted(lost, "lost", "lost")}
        </span>
      </p>
      <div
        class="stream"
        ref={box}
        onScrollCapture={({ target }) =>
          setReading("scrolled", target instanceof HTMLElement && target.scrollTop > 0)
        }
        onPointerOver={({ target }) => setReading("aiming", isRead(target))}
        onPointerLeave={() => setReading("aiming", false)}
        onFocusCapture={({ target }) => setReading("focused", isRead(target))}
        onBlurCapture={({ relatedTarget }) => setReading("focused", isRead(relatedTarget))}
      >
        {stream.waiting.length > 0 && (
          <button
            type="button"
            class="newer"
            onClick={() => {
              box.current?.querySelector(".table")?.scrollTo(0, 0);
              setPaused(false);
              setReading("aiming", false);
              setReading("focused", false);
            }}
          >
            {counted(stream.waiting.length + stream.skipped, "newer event")}: show
          </button>
        )}
        <Table
          label="Events"
          rows={stream.rows}
          columns={LIVE_COLUMNS}
          keyOf={({ key }) => key}
          onOpen={(row) => {
            const run = runOf(row);
            if (run !== undefined) go(placeOf(["runs", run]));
          }}
          rowClass={(row) => (row.kind === "lost" ? "lost" : undefined)}
          empty={
            link.kind === "connecting" ? (
              <Loading what="the feed" />
            ) : link.kind === "full" ? (
              <Empty title="The live feed is full">{FEED_FULL}</Empty>
            ) : link.kind === "lost" ? (
              <Empty title="No connection to the feed">Reconnecting. New events are listed here.</Empty>
            ) : (
              <Empty title="No events yet">
                New events are listed here, newest first. The server applies the filters.
              </Empty>
            )
          }
        />
      </div>
    </div>
  );
}

function useStream(subscription: Subscription) {
  const [stream, setStream] = useState<Stream>(emptyStream);
  const [link, setLink] = useState<Link>({ kind: "connecting" });
  const [isPaused, setPaused] = useState(false);
  const connection = useRef<Connection | undefined>(undefined);
  const heldBack = useRef(new Set<Hold>());
  const signedInAs = useStore(token);

  // A new subscription uses the same connection.
  useEffect(() => {
    const listener = {
      events: (events: readonly FeedEvent[], lost: number, lostTotal: number) => {
        lostEvents.set(lostTotal);
        const isHeldBack = heldBack.current.size > 0;
        setStream((before) => takeBatch(before, events, lost, isHeldBack));
      },
      link: setLink,
    };
    connection.current = new Connection(subscription, listener);
    return () => connection.current?.close();
  }, [signedInAs]);
  useEffect(() => {
    connection.current?.subscribe(subscription);
    setStream(emptyStream);
  }, [subscription]);

  const hold = (why: Hold, isHeld: boolean) => {
    if (heldBack.current.has(why) === isHeld) return;
    if (isHeld) heldBack.current.add(why);
    else heldBack.current.delete(why);
    if (heldBack.current.size === 0) setStream(releaseAll);
  };
  return {
    stream,
    link,
    isPaused,
    setPaused(next: boolean) {
      setPaused(next);
      hold("paused", next);
    },
    setReading: hold,
    clear: () => setStream(emptyStream),
  };
}

/**
 * The button that shows waiting events would vanish on release: the pause holds on the way from a
 * row to it.
 */
const isRead = (target: EventTarget | null): boolean =>
  isInRows(target) || (target instanceof Element && target.closest(".newer") !== null);
function subscriptionOf(here: Place): Subscription {
  const { params } = here;
  const circuit = params.get("circuit");
  const least = Number(params.get("min_us"));
  const kinds = [
    "circuit_exit",
    "event",
    "node_paused",
    "node_resumed",
    "stall_detected",
    "stall_ended",
    "alert",
  ] as const;
  return {
    ...(circuit === undefined ? {} : { circuits: [circuit] }),
    kinds: params.get("show") === "nodes" ? ["node_exit", ...kinds] : [...kinds],
    ...(least > 0 ? { min_duration_us: least } : {}),
    ...endsIn(here),
  };
}

function stateOf(link: Link, isPaused: boolean, isWaiting: boolean): string {
  if (link.kind === "lost") return "No connection, reconnecting";
  if (link.kind === "full") return `The feed is full, retries every ${FULL_WAIT_MS / 1000}\u00a0s`;
  if (link.kind === "connecting") return "Connecting";
  if (isPaused) return "Paused: new events wait above";
  return isWaiting ? "Holds still while a row is read: new events wait above" : "Following";
}
