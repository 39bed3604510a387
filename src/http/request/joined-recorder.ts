import type { Recorder } from "#core/timeline/recorder.js";
import { ownCode } from "#runtime/compile/straight.js";
import { pendingOf } from "#runtime/run/answers.js";
import { canGenerateCode } from "#schema/compile/code-generation.js";

type Call = Exclude<keyof Recorder, "notesAccesses" | "accessesOf" | "span" | "visits">;
type Tell = (run: unknown, a?: unknown, b?: unknown, c?: unknown, d?: unknown) => unknown;

const CALLS: readonly Call[] = [
  "mounted",
  "begun",
  "beforeNode",
  "afterNode",
  "busAccess",
  "event",
  "ended",
  "answered",
];

/**
 * One recorder that calls all of them; undefined for an empty list. A hook that is an accessor
 * stays an accessor. `isLasting`: made once for many runs, so the calls are generated code.
 */
export function joinedRecorder(recorders: readonly Recorder[], isLasting = false): Recorder | undefined {
  if (recorders.length < 2) return recorders[0];
  const joined: Partial<Record<Call, Tell>> = {};
  for (const call of CALLS) {
    const all = recorders.filter((recorder) => getterOf(recorder, call) || recorder[call] !== undefined);
    if (all.length === 0) continue;
    const tell = call === "beforeNode" ? (asking(all) as Tell) : telling(all, call, isLasting);
    const getters = all.flatMap((recorder) => getterOf(recorder, call) ?? []);
    const isThere = anyOf(getters.map((get) => () => get() !== undefined));
    Object.defineProperty(
      joined,
      call,
      getters.length === all.length
        ? { enumerable: true, get: () => (isThere() ? tell : undefined) }
        : { enumerable: true, value: tell },
    );
  }
  const notesAccesses = recorders.some((recorder) => recorder.notesAccesses === true);
  const listening = recorders.filter((recorder) => getterOf(recorder, "event") || recorder.event);
  const mayWant = listening.filter((recorder) => getterOf(recorder, "visits") || recorder.visits !== false);
  const visits = anyOf(mayWant.map((recorder) => wantsVisits(recorder)));
  Object.defineProperty(joined, "visits", { enumerable: true, get: visits });
  // The last one is that of a trace that is sent: it is the Inspector's, too.
  const span = recorders.findLast((recorder) => recorder.span !== undefined)?.span;
  return Object.assign(joined, { notesAccesses, ...toldKeys(recorders), ...(span && { span }) }) as Recorder;
}

/** Usually combines one function only. */
function anyOf(asked: readonly (() => boolean)[]): () => boolean {
  const [only] = asked;
  if (only !== undefined && asked.length === 1) return only;
  return () => asked.some((ask) => ask());
}

function wantsVisits(recorder: Recorder): () => boolean {
  const [event, visits] = [getterOf(recorder, "event"), getterOf(recorder, "visits")];
  const { visits: stays } = recorder;
  return () => (event === undefined || event() !== undefined) && (visits?.() ?? stays) !== false;
}

/** The keys that recorders observe; all keys if one recorder observes all. */
function toldKeys(recorders: readonly Recorder[]): Pick<Recorder, "accessesOf"> {
  const told = recorders.filter((recorder) => recorder.busAccess !== undefined);
  if (told.length === 0 || told.some(({ accessesOf }) => accessesOf === undefined)) return {};
  const [only] = told;
  // The same Set object, because its reader caches by it.
  if (told.length === 1 && only?.accessesOf !== undefined) return { accessesOf: only.accessesOf };
  return { accessesOf: new Set(told.flatMap(({ accessesOf }) => [...(accessesOf ?? [])])) };
}

/** The getter of an accessor; undefined for a plain property. */
function getterOf(recorder: Recorder, call: Call | "visits"): (() => unknown) | undefined {
  for (let owner: object | null = recorder; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const property = Object.getOwnPropertyDescriptor(owner, call);
    if (property !== undefined) return property.get?.bind(recorder);
  }
  return undefined;
}

/** Each recorder gets the value that the previous one returned. */
const asking =
  (all: readonly Recorder[]): NonNullable<Recorder["beforeNode"]> =>
  (run, node, input) => {
    let given = input;
    for (const recorder of all) {
      const ask = (before: unknown): unknown =>
        recorder.beforeNode === undefined ? before : recorder.beforeNode(run, node, before);
      // The input itself may be a promise.
      given = given !== input && given instanceof Promise ? given.then(ask) : ask(given);
    }
    return given;
  };

/** Calls each recorder, even if another throws or rejects; the caller gets that error. */
function telling(all: readonly Recorder[], call: Call, isLasting: boolean): Tell {
  // Looked up once: on objects of different shapes the look-up is slow.
  const calls = all.map((recorder) => callOf(recorder, call));
  if (isLasting && canGenerateCode) return generated(calls, all);
  return (run, a, b, c, d) => {
    let pending: Promise<unknown> | undefined;
    for (let i = 0; i < calls.length; i += 1) {
      try {
        // Function.call, because a bound function costs three more calls.
        const answered = (calls[i] as Tell).call(all[i], run, a, b, c, d);
        if (answered !== undefined) pending = both(pending, pendingOf(answered));
      } catch (error) {
        pending = both(pending, Promise.reject(error));
      }
    }
    return pending;
  };
}

/** Generated unrolled code, so that each call site has one target for V8. */
function generated(calls: readonly Tell[], all: readonly Recorder[]): Tell {
  const code = [
    "return function tell(run, a, b, c, d) {",
    "  let pending, answered;",
    ...calls.flatMap((_, i) => [
      "  try {",
      `    answered = call${i}.call(to${i}, run, a, b, c, d);`,
      "    if (answered !== undefined) pending = both(pending, pendingOf(answered));",
      "  } catch (error) {",
      "    pending = both(pending, Promise.reject(error));",
      "  }",
    ]),
    "  return pending;",
    "}",
    "",
  ].join("\n");
  const names = [...calls.map((_, i) => `call${i}`), ...all.map((_, i) => `to${i}`)];
  const make = new Function(...names, "both", "pendingOf", ownCode(code));
  return make(...calls, ...all, both, pendingOf);
}

function callOf(recorder: Recorder, call: Call): Tell {
  const get = getterOf(recorder, call) as (() => Tell | undefined) | undefined;
  if (get !== undefined) return (run, a, b, c, d) => get()?.call(recorder, run, a, b, c, d);
  return (recorder as Readonly<Record<Call, Tell>>)[call];
}

const both = (
  a: Promise<unknown> | undefined,
  b: Promise<unknown> | undefined,
): Promise<unknown> | undefined => (a === undefined || b === undefined ? (a ?? b) : Promise.all([a, b]));
