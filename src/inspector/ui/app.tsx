// The frame: what is always there, around the view that the URL names.

import { useEffect } from "preact/hooks";

import { token } from "./client/session.js";
import { Help } from "./frame/help.js";
import { Nav } from "./frame/nav.js";
import { SignIn } from "./frame/sign-in.js";
import { Top } from "./frame/top.js";
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
  if (!isSignedIn) return <SignIn />;
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById("view")?.focus()}>
        Skip to the view
      </button>
      <Top />
      <Nav />
      <main id="view" tabIndex={-1}>
        <View key={path.join("/")} path={path} />
      </main>
      <Help />
    </div>
  );
}
