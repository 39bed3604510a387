import { render } from "preact";

// Imported before the router reads the URL: it removes the token from the URL.
import "./client/session.js";
import { App } from "./app.js";
import { listenToKeys } from "./state/keys.js";
import { startLive } from "./state/live.js";
import { showTheme } from "./state/theme.js";
import "./theme/tokens.css";
import "./theme/base.css";

showTheme();
listenToKeys();
const page = document.getElementById("page") as HTMLElement;
// Preact's render would keep the loading text and draw below it.
page.replaceChildren();
render(<App />, page);
// The feed starts without waiting for a visible page. The frame is drawn before the first request.
startLive();
