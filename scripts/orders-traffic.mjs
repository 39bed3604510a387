// Customers of examples/orders: steady and varied, so that the Inspector has something to
// show. `npm start` opens the shop.

import { commandLine } from "./command-line.mjs";

const USAGE = `npm run orders:traffic -- [--rate N] [--seconds N] [--url URL]

Sends requests to the shop of \`npm start\` until it is stopped (Ctrl-C): products, orders of
all kinds, deliveries that stall or end as dead letters, refused and slow requests.

  --rate N      requests a second, 1 to 200; default 20
  --seconds N   stops after N seconds; default: never
  --url URL     where the shop is; default http://127.0.0.1:3000`;

const OPTIONS = {
  rate: { type: "string", default: "20" },
  seconds: { type: "string" },
  url: { type: "string", default: "http://127.0.0.1:3000" },
};

const { rate, seconds, shop } = commandLine(USAGE, { options: OPTIONS }, ({ values, count }) => {
  const rate = count("rate", 1);
  if (rate > 200) throw new Error(`--rate ${rate}: 200 is the most`);
  if (!/^https?:\/\//.test(values.url))
    throw new Error(`--url ${values.url}: it begins with http:// or https://`);
  return { rate, seconds: values.seconds === undefined ? Infinity : count("seconds", 1), shop: values.url };
});

const pick = (...from) => from[Math.floor(Math.random() * from.length)];
const upTo = (n) => 1 + Math.floor(Math.random() * n);
const sent = (body) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const as = (token) => ({ headers: token === "" ? {} : { authorization: `Bearer ${token}` } });
const order = (lines, card) => {
  const customer = pick("Ada", "Grace", "Edsger", "Barbara");
  const init = sent({ customer, loyal: pick(true, false), partial: true, lines });
  return card === undefined ? init : { ...init, headers: { ...init.headers, "x-customer-card": card } };
};

/** Requests of customers, by weight. */
const HABITS = [
  [30, () => ["/products"]],
  [25, () => [`/products/${pick("tea", "pot", "cup")}`]],
  [0.3, () => ["/products/jug"]],
  [20, () => ["/orders", order([{ sku: pick("tea", "pot", "cup"), qty: upTo(3) }])]],
  [0.5, () => ["/orders", order([{ sku: "tea", qty: 1 }], "card-13")]],
  [0.2, () => ["/orders", order([{ sku: "unknown", qty: 1 }])]],
  [0.1, () => ["/orders", sent({ customer: "", lines: [] })]],
  [0.1, () => ["/orders", sent("{")]],
  [
    8,
    () => [
      "/deliveries",
      sent({ order: `o-${upTo(9999)}`, city: pick("Delft", "Turin"), grams: upTo(30_000) }),
    ],
  ],
  [0.2, () => ["/deliveries", sent({ order: `o-${upTo(9999)}`, city: "Atlantis", grams: upTo(900) })]],
  [0.1, () => ["/deliveries", sent({ order: `o-${upTo(9999)}`, city: "Ushuaia", grams: upTo(900) })]],
  [3, () => ["/takings", as("manager-of-the-shop")]],
  [2, () => ["/takings", as(pick("clerk-of-the-shop", "nobody", ""))]],
  [1, () => ["/nothing-here"]],
];
const weights = HABITS.reduce((sum, [weight]) => sum + weight, 0);

function habit() {
  let left = Math.random() * weights;
  for (const [weight, make] of HABITS) {
    left -= weight;
    if (left < 0) return make();
  }
  return HABITS[0][1]();
}

const MAX_OPEN = 100;
const statuses = new Map();
let open = 0;

async function visit() {
  // The shop is slower than the rate: skip, do not queue.
  if (open >= MAX_OPEN) return;
  open += 1;
  const [path, init] = habit();
  let status = "unanswered";
  try {
    const response = await fetch(`${shop}${path}`, { ...init, signal: AbortSignal.timeout(10_000) });
    await response.arrayBuffer();
    status = String(response.status);
  } catch {
    // Counted as failed: the shop may not be listening yet.
  }
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
  open -= 1;
}

const told = () =>
  [...statuses]
    .sort()
    .map(([status, count]) => `${status}: ${count}`)
    .join("  ");
const visiting = setInterval(visit, 1000 / rate);
const telling = setInterval(() => console.log(told()), 5000);
const stop = () => {
  clearInterval(visiting);
  clearInterval(telling);
  console.log(told());
  process.exit(statuses.size === 1 && statuses.has("unanswered") ? 1 : 0);
};
process.once("SIGINT", stop).once("SIGTERM", stop);
if (Number.isFinite(seconds)) setTimeout(stop, seconds * 1000);
console.log(`${rate} requests a second to ${shop}; Ctrl-C stops`);
