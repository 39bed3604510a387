// The frame around the view that the URL names.

import { useEffect, useRef } from "preact/hooks";

import { token } from "./client/session.js";
import { Help } from "./frame/help.js";
import { Nav } from "./frame/nav.js";
import { SignIn } from "./frame/sign-in.js";
import { Top } from "./frame/top.js";
import { focusView, isFocusLost, keepFocus } from "./state/focus.js";
import { place } from "./state/router.js";
import { useStore } from "./state/store.js";
import { viewOf } from "./views/views.js";
import "./app.css";

export function App() {
  const isSignedIn = useStore(token, (text) => text !== undefined);
  const { path } = useStore(place);
  const { title, View } = viewOf(path);
  useEffect(() => {
    document.title = `${title} · Inspector`;
  }, [title]);
  // The row or link that led to another view was removed with the previous view.
  const at = path.join("/");
  const before = useRef(at);
  useEffect(() => {
    if (before.current !== at && isFocusLost()) focusView();
    before.current = at;
  }, [at]);
  const view = useRef<HTMLElement>(null);
  useEffect(() => (view.current === null ? undefined : keepFocus(view.current)), [isSignedIn]);
  if (!isSignedIn) return <SignIn />;
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById("view")?.focus()}>
        Skip to the view
      </button>
      <Top />
      <Nav />
      <main id="view" tabIndex={-1} ref={view}>
        <View key={at} path={path} />
      </main>
      <Help />
    </div>
  );
}
