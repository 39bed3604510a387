import { api } from "../client/api.js";
import { roleOf } from "../client/connection.js";
import { FEED_FULL } from "../client/feed-full.js";
import { useResource } from "../client/resource.js";
import { duration } from "../format/duration.js";
import { windowOf } from "../format/figure.js";
import { count, rate } from "../format/quantity.js";
import { Link } from "../parts/link.js";
import { isHelpOpen } from "../state/keys.js";
import { heardAt, link, lostEvents, metrics } from "../state/live.js";
import { now } from "../state/now.js";
import { useStore } from "../state/store.js";
import { chooseTheme, type Theme, theme } from "../state/theme.js";
import { Search } from "./search.js";
import "./top.css";

const THEMES: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

export function Top() {
  const status = useResource("status", api.status);
  const chosen = useStore(theme);
  const role = useStore(link, roleOf) ?? status.value?.role;
  return (
    <header class="top">
      <div class="service">
        <strong>{status.value?.service ?? "Inspector"}</strong>
        <span class="dim">{status.value?.service_version}</span>
        {status.value !== undefined && (status.value.production || status.value.profile !== "none") && (
          <span class={status.value.production ? "profile production" : "profile"}>
            {status.value.production ? "production" : status.value.profile}
          </span>
        )}
      </div>
      <Search />
      <Health />
      <span class="role" title="Role of the token">
        {role ?? "–"}
      </span>
      <button
        type="button"
        class="plain"
        title="Theme: light, dark or the system's"
        onClick={() => chooseTheme(THEMES[chosen])}
      >
        <span class="word">Theme: </span>
        {chosen}
      </button>
      <button
        type="button"
        class="plain"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => isHelpOpen.set(true)}
      >
        ?
      </button>
    </header>
  );
}

/** Freshness of the data on screen, and the server's load. */
function Health() {
  const state = useStore(link);
  const heard = useStore(heardAt);
  const ms = useStore(now);
  const isLost = state.kind === "lost";
  const isFull = state.kind === "full";
  const age = heard === 0 ? "no data yet" : `data is ${duration(Math.max(0, ms - heard) * 1000)} old`;
  // Announced once: a repeated announcement, such as the age, would drown out all others.
  return (
    <span class={`health ${state.kind}`}>
      <span role="status">
        {isLost && "No connection"}
        {isFull && (
          <Link path={["live"]} title={FEED_FULL}>
            Feed full
          </Link>
        )}
      </span>
      {isLost ? (
        <span>
          {" · "}
          {age}
          <span class="trying"> · reconnecting</span>
        </span>
      ) : (
        <Flow />
      )}
    </span>
  );
}

/** The server's load, and the number of events that the feed did not send. */
function Flow() {
  const perSecond = useStore(metrics, (all) => windowOf(all?.http.windows ?? [], 10)?.per_second);
  const lost = useStore(lostEvents);
  return (
    <>
      <span title="Requests a second, last 10 s">{perSecond === undefined ? "–" : rate(perSecond)}</span>
      <span class={lost > 0 ? "strong" : "dim"} title="Feed events not sent: all clients, since start">
        {count(lost)} lost
      </span>
    </>
  );
}
