import { useState } from "preact/hooks";

import { isRefused, signIn } from "../client/session.js";
import { useStore } from "../state/store.js";
import "./sign-in.css";

/** Shown without a token, and after the server rejected it. */
export function SignIn() {
  const [text, setText] = useState("");
  const wasRefused = useStore(isRefused);
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") signIn(text.trim());
        }}
      >
        <h1>Inspector</h1>
        <p>
          Open the link that the server printed at its start, or enter its token. Kept for this tab, never in
          the URL.
        </p>
        {wasRefused && (
          <p class="fault" role="alert">
            Invalid token
          </p>
        )}
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary">
          Open
        </button>
      </form>
    </main>
  );
}
