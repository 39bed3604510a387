// The window of the figures on screen, in the URL. The feed has the short windows; the long ones
// change slowly and are requested.

import { api, type MetricsData } from "../client/api.js";
import { type Resource, useResource } from "../client/resource.js";
import type { WindowSeconds } from "../format/figure.js";
import { metrics } from "./live.js";
import { choose, place } from "./router.js";
import { useStore } from "./store.js";

const AGAIN_MS = 5000;

type Choice = "1" | "10" | "60" | "600" | "start";

export const WINDOWS: readonly (readonly [Choice, string])[] = [
  ["1", "1 s"],
  ["10", "10 s"],
  ["60", "60 s"],
  ["600", "10 min"],
  ["start", "Since start"],
];
const SECONDS: Readonly<Record<Choice, WindowSeconds>> = { 1: 1, 10: 10, 60: 60, 600: 600, start: null };

export interface WindowChoice {
  readonly choice: Choice;
  readonly seconds: WindowSeconds;
  /** The newest metrics with this window. */
  readonly metrics: MetricsData | undefined;
  /** Of a request for metrics that the feed does not send. */
  readonly asked: Pick<Resource<MetricsData>, "problem" | "reload">;
  /** For links to places with a window. */
  readonly params: Readonly<Record<string, string>>;
  choose(next: Choice): void;
}

export function useWindow(): WindowChoice {
  const choice = useStore(place, ({ params }) => choiceOf(params.get("window")));
  const live = useStore(metrics);
  const isLong = choice === "600" || choice === "start";
  const key = isLong ? `metrics ${choice}` : live === undefined ? "metrics" : undefined;
  const asked = useResource(
    key,
    () => (isLong ? api.metrics({ window: choice }) : api.metrics()),
    isLong ? AGAIN_MS : undefined,
  );
  return {
    choice,
    seconds: SECONDS[choice],
    metrics: isLong ? asked.value : live,
    asked,
    params: choice === "60" ? {} : { window: choice },
    choose: (next) => choose({ window: next === "60" ? undefined : next }),
  };
}

const choiceOf = (text: string | undefined): Choice =>
  WINDOWS.find(([choice]) => choice === text)?.[0] ?? "60";
