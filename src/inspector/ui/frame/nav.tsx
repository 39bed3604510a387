import type { Alert } from "../../api/watching.js";
import { count } from "../format/quantity.js";
import { Link } from "../parts/link.js";
import { causesOf } from "../state/causes.js";
import { VIEWS } from "../state/keys.js";
import { alerts, letterCount, paused, stalls } from "../state/live.js";
import { place } from "../state/router.js";
import { useStore } from "../state/store.js";
import "./nav.css";

const UNDER_RUNS: ReadonlySet<string> = new Set(["compare", "kept", "hosts", "in-flight"]);

export function Nav() {
  const here = useStore(place, ({ path }) => path[0] ?? "overview");
  const held = useStore(paused, (all) => all.length);
  const letters = useStore(letterCount);
  const alerted = useStore(alerts);
  const stalled = useStore(stalls);
  const badges: Readonly<Record<string, Badge | undefined>> = {
    breakpoints: { n: held, what: "held", tone: "held" },
    dead: { n: letters.count, isMore: letters.isMore, what: "waiting", tone: "plain" },
    alerts: { n: causesOf(alerted, stalled), what: "active", tone: isCritical(alerted) ? "fault" : "plain" },
  };
  return (
    <nav aria-label="Views">
      {VIEWS.map(({ path, name, key }) => {
        const badge = badges[path];
        const isHere = here === path || (UNDER_RUNS.has(here) && path === "runs");
        return (
          <Link key={path} path={[path]} current={isHere} title={`${name} (g ${key})`}>
            <span>{name}</span>
            {badge !== undefined && badge.n > 0 && (
              <span
                class={`badge ${badge.tone}`}
                title={`${count(badge.n)}${badge.isMore === true ? "+" : ""} ${badge.what}`}
              >
                {badge.n > 99 ? "99+" : `${badge.n}${badge.isMore === true ? "+" : ""}`}
              </span>
            )}
          </Link>
        );
      })}
    </nav>
  );
}

const isCritical = (alerts: readonly Alert[]): boolean =>
  alerts.some(({ state, severity }) => state === "active" && severity === "critical");

interface Badge {
  readonly n: number;
  readonly isMore?: boolean;
  readonly what: string;
  readonly tone: "plain" | "held" | "fault";
}
