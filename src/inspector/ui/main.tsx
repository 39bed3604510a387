import { render } from "preact";

// Before the router reads the URL: the token is taken out of it first.
import "./client/session.js";
import { App } from "./app.js";
import { listenToKeys } from "./state/keys.js";
import { startLive } from "./state/live.js";
import { showTheme } from "./state/theme.js";
import "./theme/tokens.css";
import "./theme/base.css";

showTheme();
listenToKeys();
startLive();
render(<App />, document.getElementById("page") as HTMLElement);
