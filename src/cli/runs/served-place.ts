import type { RunListFilter } from "#core/ports/run-list.js";
import type { Json } from "#core/wire/json-text.js";
import type { DeadLetterRow } from "#inspector/api/dead-letters.js";
import type { KeptRun } from "#inspector/api/runs.js";
import type { Payload } from "#inspector/api/traces.js";
import type { Listed } from "#inspector/runs/run-list.js";
import type { Reply, RunningInspector } from "../application/running-inspector.js";
import { CommandError } from "../terminal/command.js";
import { refused } from "./host-answer.js";
import type { Action, Done, Letter, LetterFilter, Place } from "./place.js";

/** The largest page of the API. */
const PAGE = 500;
const API = "/api/v1";

/** The server masks, and decides what it captures. */
export function servedPlace({ shown, ask }: RunningInspector): Place {
  const get = async <T>(path: string, params: object = {}): Promise<T | undefined> => {
    const given = Object.entries(params).filter(([, value]) => value !== undefined);
    const query = new URLSearchParams(
      Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
    );
    const { status, body } = await ask(`${API}${path}?${query}`);
    if (status === 200) return body?.["data"] as T;
    if (status === 404 && body?.["code"] !== undefined) return undefined;
    throw new CommandError(`${shown} responded to ${API}${path} with ${whyOf({ status, body })}`);
  };
  const shownRun = (id: string) => get<KeptRun>(`/runs/${encodeURIComponent(id)}`);
  const letters = async ({ axon, since = 0, until = Number.POSITIVE_INFINITY, limit }: LetterFilter) => {
    const page = await get<{ readonly letters: readonly DeadLetterRow[] }>("/dlq", {
      ...{ circuit: axon, limit: PAGE },
    });
    const found = page?.letters.filter(({ failed_at: at }) => at >= since && at < until) ?? [];
    return found.slice(0, limit);
  };
  return {
    list: async (filter, cursor) => {
      const found = await get<Listed>("/run-list", { ...queryOf(filter), cursor });
      if (found === undefined) throw new CommandError(`${shown} serves no kept runs`);
      return {
        cursor: found.cursor,
        runs: found.runs.map(({ circuit: axon, ...row }) => ({ axon, ...row })),
      };
    },
    show: async (id) => {
      const run = await shownRun(id);
      if (run === undefined) return undefined;
      const { circuit: axon, input, bus, completed, ...rest } = run;
      const withheld = Object.fromEntries(bus.map((key) => [key, "[withheld]"]));
      return {
        axon,
        ...rest,
        ...inputIn(input),
        bus: withheld,
        completed: completed.map((node) => ({ node })),
        signals: [],
      };
    },
    progressOf: async (id) => {
      const run = await shownRun(id);
      if (run === undefined) return undefined;
      const { state, entries, entries_dropped: dropped, node, fault } = run;
      const error = fault === null ? {} : { error: fault };
      return { state, entries: entries.length + dropped, node, ...error };
    },
    letters: async (filter) => (await letters(filter)).map(letterIn),
    letter: async (id) => {
      const found = (await letters({ limit: PAGE })).find((letter) => letter.id === id);
      return found && { ...letterIn(found), values: { ...inputIn(found.input), undone: [...found.undone] } };
    },
    redriveOf: () => undefined,
    act: async (action) => {
      const { method = "POST", path, body } = callOf(action);
      const reply = await ask(`${API}${path}`, { method, ...(body !== undefined && { body }) });
      return doneIn(action, reply);
    },
  };
}

const queryOf = ({ axons, states, label, limit, ...rest }: RunListFilter) => ({
  ...{ ...rest, circuit: axons?.[0], state: states?.[0], limit: Math.min(limit, PAGE) },
  label: label && `${label.name}:${label.value}`,
});

const letterIn = ({
  circuit: axon,
  id,
  kind,
  version,
  node,
  failed_at,
  attempts,
  labels,
  error,
}: DeadLetterRow): Letter => ({
  ...{ id, kind, axon, version, node, failed_at, attempts, error },
  ...(labels && { labels }),
});

const inputIn = (payload: Payload): { readonly input?: Json } =>
  payload.kind === "full" ? { input: payload.value as Json } : {};

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
}

function callOf({ kind, target, reason, payload }: Action): Call {
  const run = `/runs/${encodeURIComponent(target)}`;
  const letter = `/dlq/${encodeURIComponent(target)}`;
  switch (kind) {
    case "start": {
      const { axon: circuit, input } = payload as { readonly axon: string; readonly input: Json };
      return { path: "/runs", body: { circuit, input, run_id: target } };
    }
    case "signal":
      return { path: `${run}/signal`, body: payload };
    case "cancel":
      return { path: `${run}/cancel`, body: { reason } };
    case "redrive":
      return { path: `${letter}/redrive` };
    case "discard":
      return { method: "DELETE", path: letter };
    default:
      return { path: `${run}/${kind}` };
  }
}

const RESULTS: Readonly<Record<string, string>> = {
  ...{ resume: "resumed", wake: "woken", forget: "forgotten", discard: "discarded", redrive: "begun" },
  start: "begun",
};

function doneIn({ kind }: Action, reply: Reply): Done {
  const { status, body } = reply;
  if (status >= 300) {
    const { code, title, detail } = body ?? {};
    if (status < 500 && code !== undefined) return refused(String(code), String(detail ?? title));
    return { isDone: false, result: "failed", detail: whyOf(reply) };
  }
  const { result } = (body?.["data"] ?? {}) as { readonly result?: string };
  if (kind === "redrive" && result === "busy") return refused("busy");
  if (kind === "redrive" && result === "failed")
    return { isDone: false, result: "failed", detail: "it failed again" };
  const isOwn = kind === "cancel" || kind === "signal" || kind === "start";
  return { isDone: true, result: (isOwn ? result : undefined) ?? RESULTS[kind] ?? kind };
}

function whyOf({ status, body }: Reply): string {
  const { code, title, detail } = body ?? {};
  return [status, code, detail ?? title].filter((part) => part !== undefined).join(" ");
}
