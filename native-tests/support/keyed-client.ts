// A client of a server that is killed: it sends a request with a key until that is answered, follows
// the location that it is told, and sends the key with another body. What it is answered stands in the ledger.

import type { LedgerLine } from "./ledger.js";

interface KeyedClient {
  readonly origin: string;
  readonly key: string;
  readonly path: string;
  readonly tell: (line: Answered) => void;
}

type Answered = Omit<Extract<LedgerLine, { what: "answered" }>, "at" | "pid">;

const JSON_TYPE = "application/json";

export async function sendKeyed({ origin, key, path, tell }: KeyedClient): Promise<void> {
  const post = (body: string): Promise<Response> =>
    untilAnswered(`${origin}${path}`, {
      ...{ method: "POST", body, headers: { "content-type": JSON_TYPE, "idempotency-key": `"${key}"` } },
    });
  const says = async (answer: Response): Promise<string> => {
    const text = `${answer.status} ${await answer.text()}`;
    if (answer.status !== 202) return text;
    const {
      run_id: run,
      state,
      output,
    } = await stateAt(new URL(answer.headers.get("location") ?? "", origin));
    tell({ what: "answered", run, key, says: "202" });
    return `${state === "completed" ? 200 : state} ${JSON.stringify(output)}`;
  };
  tell({ what: "answered", run: "", key, says: await says(await post("0")) });
  tell({ what: "answered", run: "", key, says: `other ${(await post("1")).status}` });
  tell({ what: "answered", run: "", key, says: await says(await post("0")) });
}

/** What may pass is asked again, as a client does. */
async function untilAnswered(url: string | URL, request: RequestInit = {}): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, request);
    if (![503, 409].includes(answer.status)) return answer;
    await answer.arrayBuffer();
    await pause();
  }
}

interface State {
  readonly run_id: string;
  readonly state: string;
  readonly output?: unknown;
}

async function stateAt(location: URL): Promise<State> {
  for (;;) {
    const answer = await untilAnswered(location);
    if (answer.status !== 200)
      return { run_id: "", state: `no run at ${location.pathname}: ${answer.status}` };
    const state = (await answer.json()) as State;
    if (state.state !== "running") return state;
    await pause();
  }
}

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 20));
