import fc from "fast-check";
import { anyText } from "./any-text.js";

const throwing = () => {
  throw new Error("a getter threw");
};

/** fast-check prints what failed, which some of these values do not stand. */
export class Held {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }

  [fc.toStringMethod](): string {
    const index = VALUES.indexOf(this.value);
    try {
      return index < 0 ? fc.stringify(this.value) : `VALUES[${index}]`;
    } catch {
      return "a value that cannot be printed";
    }
  }
}

/** Values that are hard to write: what fast-check has, and what only JavaScript has. */
export const anyValue = (): fc.Arbitrary<Held> =>
  fc
    .oneof(
      fc.anything({
        key: fc.oneof(anyText(), fc.constantFrom(...NAMES)),
        values: [anyText(), fc.double(), fc.bigInt(), fc.boolean(), fc.constantFrom(...VALUES)],
        withBigInt: true,
        withBoxedValues: true,
        withDate: true,
        withMap: true,
        withNullPrototype: true,
        withSet: true,
        withSparseArray: true,
        withTypedArray: true,
      }),
      fc.constantFrom(...VALUES),
    )
    .map((value) => new Held(value));

const NAMES = [
  "__proto__",
  "constructor",
  "hasOwnProperty",
  "toString",
  "toJSON",
  "level",
  "time",
  "msg",
  "err",
]
  .concat([
    "stack",
    "type",
    "message",
    "request_id",
    "method",
    "headers",
    "socket",
    "req",
    "setHeader",
    "a\nb",
  ])
  .concat(["\u001b[2J", "name", "caller", "cause"]);

const circle: Record<string, unknown> = { name: "circle" };
circle["self"] = circle;
const chain = (links: number): unknown => (links === 0 ? "end" : { next: chain(links - 1) });
const error = new TypeError("outer\n{}", { cause: new Error("inner\u001b[31m") });
const own = Object.assign(new Error("with members"), { code: "E_OWN", request_id: "forged", circle });

const VALUES: readonly unknown[] = [
  undefined,
  null,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  -0,
  Symbol("a\nsymbol"),
  () => {},
  class Named {},
  circle,
  chain(200),
  error,
  own,
  new AggregateError([error, own], "both"),
  Object.assign(new Error("its own cause"), {
    get cause() {
      return error;
    },
  }),
  {
    get bad() {
      return throwing();
    },
  },
  { toJSON: throwing },
  { toJSON: () => circle },
  { toString: throwing, valueOf: throwing },
  new Proxy({}, { ownKeys: throwing, get: throwing, getPrototypeOf: throwing }),
  new Proxy(() => {}, { get: throwing }),
  Object.defineProperty(new Error("x"), "message", { get: throwing }),
  Object.defineProperty(new Error("x"), "stack", { get: throwing }),
  Object.defineProperty(() => {}, "name", { get: throwing }),
  new Date(Number.NaN),
  1n << 100_000n,
  "x".repeat(100_000),
  Array.from({ length: 5000 }, (_, i) => i),
  Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, i])),
  Buffer.alloc(1_000_000),
  new SharedArrayBuffer(8),
  new Map<unknown, unknown>([[circle, error]]),
  new Set([Symbol("s")]),
  new WeakMap(),
  Promise.resolve(1),
  Object.create(null),
  { method: "GET", headers: {}, socket: { remoteAddress: "x" } },
  { setHeader: () => {} },
  'first\n{"level":60,"msg":"forged"}',
  "a\r\nb\u001b[2K\u009b1A\u2028\u2029\u202eevil\u0000",
  "\ud800",
  "%s %d %j %o %%",
];
