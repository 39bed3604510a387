import { To } from "../parts/to.js";
import { VIEWS } from "../state/keys.js";
import { alerts, letterCount, paused, stalls } from "../state/live.js";
import { place } from "../state/router.js";
import { useStore } from "../state/store.js";
import "./nav.css";

export function Nav() {
  const here = useStore(place, ({ path }) => path[0] ?? "overview");
  const held = useStore(paused, (all) => all.length);
  const letters = useStore(letterCount);
  const active = useStore(alerts, (all) => all.filter(({ state }) => state === "active").length);
  const stalled = useStore(stalls, (all) => all.length);
  const badges: Readonly<Record<string, Badge | undefined>> = {
    breakpoints: { n: held, what: "held", tone: "held" },
    dead: { n: letters ?? 0, what: "waiting", tone: "plain" },
    alerts: { n: active + stalled, what: "active", tone: "fault" },
  };
  return (
    <nav aria-label="Views">
      {VIEWS.map(({ path, name, key }) => {
        const badge = badges[path];
        const isHere = here === path || (here === "compare" && path === "runs");
        return (
          <To key={path} path={[path]} current={isHere} title={`${name} (g ${key})`}>
            <span>{name}</span>
            {badge !== undefined && badge.n > 0 && (
              <span class={`badge ${badge.tone}`} title={`${badge.n} ${badge.what}`}>
                {badge.n > 99 ? "99+" : badge.n}
              </span>
            )}
          </To>
        );
      })}
    </nav>
  );
}

interface Badge {
  readonly n: number;
  readonly what: string;
  readonly tone: "plain" | "held" | "fault";
}
