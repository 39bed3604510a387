// A small service with an Inspector that listens: what the page is tried on. A guard that
// refuses most, whoever is no customer, a step that is slow, one that stalls, one that fails
// for good.

import {
  Axon,
  BearerAuth,
  busKey,
  DlqPolicy,
  Framework,
  FrameworkConfig,
  fault,
  guard,
  IamPolicy,
  type IamVerifier,
  MemoryDeadLetters,
  ProblemDetail,
  pass,
  type RunningServer,
  Type,
} from "framework";
import { builtInspectorPage } from "./built-page.js";

const Order = Type.Object({
  customer: Type.String({ minLength: 1, maxLength: 20 }),
  total: Type.Integer({ minimum: 1, maximum: 500 }),
});

const Subtotal = busKey<number>()("Subtotal");

const OPERATOR = "operator-token-0123456789";
const closed = new ProblemDetail({ status: 503, code: "SHOP_CLOSED", title: "The shop is closed" });

/** A token is the name of a role. */
const verifier: IamVerifier = {
  description: "roles as tokens",
  verify: (token) => ({ subject: "somebody", roles: [token], claims: {} }),
};

export interface InspectedShop {
  /** Of its Inspector, with the token. */
  readonly link: string;
  readonly url: string;
  /** Whether the ledger takes what it is told. */
  readonly ledger: { isOpen: boolean };
  /** Of the Inspector's API. */
  ask(method: string, path: string, body?: unknown): Promise<any>;
  /** Sends an order, by default as a customer. */
  order(total: number, role?: string): Promise<Response>;
  close(): Promise<void>;
}

export async function inspectedShop(): Promise<InspectedShop> {
  await builtInspectorPage();
  const ledger = { isOpen: false };
  const hours = guard({ name: "OpeningHours", run: (input) => pass(input) });
  const orders = Axon.start("order", Order)
    .withVersion("1.2.0")
    .withIam(IamPolicy.requireRole("customer"), verifier)
    .thenFn(
      "price",
      (given, bus) => {
        bus.set(Subtotal, given.total);
        return given;
      },
      { writes: [Subtotal] },
    )
    .thenFn(
      "reserve",
      async (given, bus) => {
        await new Promise((resolve) => setTimeout(resolve, 5 + (bus.get(Subtotal) % 5)));
        return given;
      },
      { reads: [Subtotal] },
    )
    .thenFn("accept", ({ customer, total }) => ({ customer, total, accepted: true }));
  const book = Axon.start("book", Order)
    .thenFn("enter", (given) => (ledger.isOpen ? { entered: given.total } : fault(closed)))
    .withDlqSink(new MemoryDeadLetters({ maxLetters: 100 }))
    .withDlqPolicy(DlqPolicy.send());
  const wait = Axon.start("wait").thenFn(
    "wait",
    (_, bus) => new Promise((_, reject) => bus.signal.addEventListener("abort", reject)),
  );
  let link = "";
  const server: RunningServer = await Framework.http()
    .config(FrameworkConfig.load({ env: { FRAMEWORK_LOGGING_LEVEL: "silent" } }))
    .guard(hours)
    .post("/book", book)
    .post("/orders", orders)
    .get("/wait", wait)
    .inspector({
      auth: BearerAuth.tokens({ operator: OPERATOR }),
      ...{ enabled: true, port: 0, capturePayloads: "full", stallThresholdMs: 200, metricsIntervalMs: 500 },
      announce: (printed) => {
        link = printed.includes("#") ? printed : `${printed.replace(/\/$/, "")}/#token=${OPERATOR}`;
      },
    })
    .bind("127.0.0.1:0")
    .run();
  const ask = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${new URL(link).origin}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.status === 204 ? undefined : ((await response.json()) as { data: unknown }).data;
  };
  const order = (total: number, role = "customer"): Promise<Response> =>
    fetch(`${server.url}/orders`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${role}` },
      body: JSON.stringify({ customer: "Ada", total }),
    });
  return { link, url: server.url, ledger, ask, order, close: () => server.close() };
}
