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
const page = document.getElementById("page") as HTMLElement;
// Of what stands there render keeps what it does not know, and draws below it.
page.replaceChildren();
render(<App />, page);
// What is asked for waits for nobody's eyes: the frame stands before the first question is put.
startLive();
