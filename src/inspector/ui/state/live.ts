// Data shared by all views and kept fresh by the feed: metrics, held runs, alerts, stalls, and the
// state of the connection.

import type { PausedRun } from "../../api/breakpoints.js";
import type { FeedEvent } from "../../api/events.js";
import type { Alert, Stall } from "../../api/watching.js";
import { api, type MetricsData } from "../client/api.js";
import { Connection, type Link, type Subscription } from "../client/connection.js";
import { Problem } from "../client/problem.js";
import { token } from "../client/session.js";
import { figureJoiner } from "./joined-figures.js";
import { createLiveList } from "./live-list.js";
import { place } from "./router.js";
import { Series } from "./series.js";
import { createStore } from "./store.js";

export const link = createStore<Link>({ kind: "connecting" });
/** Of the circuits that no view shows, the feed sends only the nodes that the overview names. */
export const metrics = createStore<MetricsData | undefined>(undefined);
/** The newest metrics with all nodes: their names do not change while the server runs. */
export const allNodes = createStore<MetricsData | undefined>(undefined);
/** Arrival time of the newest metrics, by the browser's clock. */
export const heardAt = createStore(0);
export const paused = createLiveList<PausedRun>();
export const stalls = createLiveList<Stall>();
export const alerts = createLiveList<Alert>();
/** Incremented when breakpoints have changed, on this page or elsewhere. */
export const breakpointChanges = createStore(0);
/** Waiting dead letters; `isMore` if there may be more than `count`. */
export const letterCount = createStore<{ readonly count: number; readonly isMore: boolean }>({
  count: 0,
  isMore: false,
});
/** Number of events that the feed did not send: of all its clients, since the server's start. */
export const lostEvents = createStore(0);
export const series = new Series();

const KINDS = [
  "metrics",
  "node_paused",
  "node_resumed",
  "stall_detected",
  "stall_ended",
  "alert",
  "breakpoint",
] as const;
/** Interval of metrics requests without a feed. */
const POLL_MS = 2000;
const SLOW_POLL_MS = 10_000;
/** Letters that are counted in a store without a count. */
const COUNTED_LETTERS = 50;

let connection: Connection | undefined;
let timers: number[] = [];
let shownNodes: string | undefined;
let joined = figureJoiner();

/** Starts with a token, and restarts with another one. */
export function startLive(): void {
  token.subscribe(restart);
  place.subscribe(() => {
    if (nodesOf() !== shownNodes) connection?.subscribe(subscription());
  });
  restart();
}

/** The circuit whose nodes are shown. */
function nodesOf(): string | undefined {
  const [view, circuit] = place.get().path;
  // The server takes no longer names.
  return view === "circuits" && circuit ? circuit.slice(0, 1000) : undefined;
}

function subscription(): Subscription {
  shownNodes = nodesOf();
  return { kinds: [...KINDS], node_metrics_of: shownNodes === undefined ? [] : [shownNodes] };
}

function restart(): void {
  connection?.close();
  connection = undefined;
  for (const timer of timers) clearInterval(timer);
  timers = [];
  if (token.get() === undefined) return;
  link.set({ kind: "connecting" });
  askAll();
  joined = figureJoiner();
  connection = new Connection(subscription(), {
    events: applyAll,
    link(next) {
      const before = link.get();
      link.set(next);
      // Events during the disconnection were missed.
      if (next.kind === "open" && before.kind !== "connecting") askAll();
    },
  });
  timers.push(
    setInterval(() => {
      if (link.get().kind !== "open" && !document.hidden) askMetrics();
    }, POLL_MS),
    setInterval(() => {
      if (document.hidden) return;
      askLetters();
      if (link.get().kind !== "open") askLists();
    }, SLOW_POLL_MS),
  );
}

function askAll(): void {
  askMetrics();
  askLetters();
  askLists();
}

/** Loads the lists that the feed updates. */
function askLists(): void {
  quietly(askAlerts());
  quietly(askPaused());
  quietly(askStalls());
}

function askMetrics(): void {
  quietly(api.metrics(), (data) => {
    allNodes.set(data);
    takeMetrics(data);
  });
}

/** Loads `paused`. Views that show it repeat the request while the feed is disconnected. */
export const askPaused = () => paused.ask(api.paused, (data) => data.paused);
/** As `askPaused`, for `stalls`. */
export const askStalls = () => stalls.ask(api.stalls, (data) => data.stalls);
/** As `askPaused`, for `alerts`. */
export const askAlerts = () => alerts.ask(api.alerts, (data) => data.alerts);

export function askLetters(): void {
  quietly(countLetters(), letterCount.set);
}

/** Requests one letter for the count; if the store has no count, it requests more and counts them. */
async function countLetters() {
  const { total } = await api.letters({ limit: 1 });
  if (total !== null) return { count: total, isMore: false };
  const { letters, workers_silent: silent } = await api.letters({ limit: COUNTED_LETTERS + 1 });
  const isMore = letters.length > COUNTED_LETTERS || silent > 0;
  return { count: Math.min(letters.length, COUNTED_LETTERS), isMore };
}

function takeMetrics(data: MetricsData): void {
  const before = metrics.get();
  if (before !== undefined && before.at > data.at && before.process.pid === data.process.pid) return;
  series.add(data);
  metrics.set(data);
  heardAt.set(Date.now());
}

/** Ignores a failure: a view that shows the data requests it again and shows the problem. */
function quietly<T>(answer: Promise<T>, take: (data: T) => void = () => {}): void {
  answer.then(take, (error) => {
    if (!(error instanceof Problem)) throw error;
  });
}

function applyAll(events: readonly FeedEvent[], _: number, lostTotal: number): void {
  lostEvents.set(lostTotal);
  for (const event of events) apply(event);
}

function apply(event: FeedEvent): void {
  switch (event.kind) {
    case "metrics": {
      const whole = joined(event);
      if (whole !== undefined) takeMetrics(whole);
      break;
    }
    case "node_paused":
      paused.set((all) => [...all.filter(({ id }) => id !== event.paused.id), event.paused]);
      break;
    case "node_resumed":
      paused.set((all) => all.filter(({ id }) => id !== event.id));
      break;
    case "stall_detected":
      stalls.set((all) => [...all.filter((one) => !isSameStall(one, event.stall)), event.stall]);
      break;
    case "stall_ended":
      stalls.set((all) => all.filter((one) => !isSameStall(one, event)));
      break;
    case "alert":
      alerts.set((all) => [event.alert, ...all.filter(({ key }) => key !== event.alert.key)]);
      break;
    case "breakpoint":
      breakpointChanges.set((n) => n + 1);
      break;
    default:
  }
}

const isSameStall = (a: { run_id: string; node: string }, b: { run_id: string; node: string }): boolean =>
  a.run_id === b.run_id && a.node === b.node;
