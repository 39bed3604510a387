// Refuses what a step would do to the world while a stored run is replayed: sockets, processes,
// threads, writes of files, signals. Wraps functions of Node, and looks at each call for the step in
// whose work it is made. Calls outside of steps do what they did before.
//
//   GE1. A call is refused in the step and in all that it began: timers, promises, callbacks, also
//       when the step has settled. Whether the step catches the error makes no difference:
//       `onRefused` has it. It comes as other failures of the call would, so that clients settle;
//       where nothing handles it, the process survives.
//   GE2. While a step runs, its clock stands still at `at`: a step that waits for the time to pass
//       never ends. Random values and performance.now() are left alone: a step that draws is an
//       effect.
//   GE3. Named imports of ES modules are covered whenever they were loaded. CommonJS modules that take
//       functions out of a builtin have to be loaded after `readyToRefuse`.
//
// Not covered: native addons with files or sockets of their own (SQLite, uWebSockets.js),
// process.binding, HTTP/2 sessions that were open before `readyToRefuse`, threads that were started
// before, and a client that queues a call behind one made outside of the step.

import { AsyncLocalStorage } from "node:async_hooks";
import child_process from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns";
import fs from "node:fs";
import http2 from "node:http2";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { devNull } from "node:os";
import worker_threads from "node:worker_threads";
import { FrameworkError } from "#core/errors.js";

/** A step acted on the world while its run was replayed. */
export class ReplayEffect extends FrameworkError {
  override readonly name = "ReplayEffect";
  /** The id of its node. */
  readonly step: string;
  /** What it called, such as "fs.writeFile". */
  readonly call: string;

  constructor(step: string, call: string) {
    super(
      "REPLAY_EFFECT",
      `Step '${step}' calls ${call}, and replays change nothing: declare the step with effect: true`,
    );
    this.step = step;
    this.call = call;
  }
}

export interface GuardedStep {
  readonly node: string;
  /** What the step's clock shows, in milliseconds since 1970. */
  readonly at: number;
  readonly onRefused?: (error: ReplayEffect) => void;
}

/** Runs the work of a step, and refuses its effects on the world with REPLAY_EFFECT. */
export function refusingEffects<T>(step: GuardedStep, run: () => T): T {
  install();
  return guarded.run(step, run);
}

/** Covers also what is open before the first step: call it before the program is imported (GE3). */
export async function readyToRefuse(): Promise<void> {
  install();
  // The class of file handles can be reached only through one of them.
  const handle = await fs.promises.open(devNull);
  await handle.close();
}

/** Gives Node its own functions back. */
export function allowEffects(): void {
  for (const restore of undoing.splice(0).reverse()) restore();
  syncBuiltinESMExports();
}

const guarded = new AsyncLocalStorage<GuardedStep>();

const undoing: (() => void)[] = [];

type Called = (...args: unknown[]) => unknown;

interface Family {
  readonly owner: object;
  /** Its name in errors. */
  readonly as: string;
  readonly calls: readonly string[];
  /** How its functions fail. Default: `thrown`. */
  readonly fails?: (error: ReplayEffect, self: unknown, args: readonly unknown[]) => unknown;
  /** Calls that change nothing. */
  readonly isHarmless?: (self: unknown, args: readonly unknown[]) => boolean;
  /** Looks at what a call outside of steps has answered. */
  readonly onAnswer?: (answer: unknown) => void;
}

const ON_PATHS =
  "appendFile chmod chown copyFile cp lchmod lchown link lutimes mkdir mkdtemp rename rm rmdir symlink truncate unlink utimes writeFile".split(
    " ",
  );

/** The first argument is a descriptor, or may be one. */
const ON_FILES = ["appendFile", "fchmod", "fchown", "ftruncate", "futimes", "write", "writeFile", "writev"];

const ON_HANDLES = "appendFile chmod chown createWriteStream truncate utimes write writeFile writev".split(
  " ",
);

const thrown = (error: ReplayEffect): never => {
  throw error;
};

const rejected = (error: ReplayEffect): Promise<never> => Promise.reject(error);

const calledBack = (error: ReplayEffect, _: unknown, args: readonly unknown[]): void => {
  const callback = args.at(-1);
  if (typeof callback !== "function") throw error;
  process.nextTick(callback as Called, error);
};

/** By its event, once the caller can listen. Fits what `connect`, `write` and `end` answer. */
const destroyed = (error: ReplayEffect, self: unknown): unknown => {
  setImmediate(() => (self as net.Socket).destroy(error));
  return self;
};

const inSync = (calls: readonly string[]): readonly string[] =>
  calls.flatMap((call) => [call, `${call}Sync`]);

const prototypeOf = (made: { readonly prototype: object }): object => made.prototype;

function families(): readonly Family[] {
  const { constants, promises } = fs;
  const writing =
    constants.O_WRONLY | constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;
  const opensToRead = (_: unknown, [, flags]: readonly unknown[]): boolean =>
    typeof flags === "number"
      ? (flags & writing) === 0
      : typeof flags !== "string" || flags === "r" || flags === "rs" || flags === "sr";
  // Standard output and error are what a developer sees of the step.
  const isStandardFile = (_: unknown, [fd]: readonly unknown[]): boolean => fd === 1 || fd === 2;
  const isStandard = (self: unknown): boolean => self === process.stdout || self === process.stderr;
  const lookups = Object.keys(dns).filter((call) => /^(lookup|resolve|reverse)/.test(call));
  const handles = (handle: unknown): void => {
    void Promise.resolve(handle).then(
      (open) =>
        refuse({ owner: Object.getPrototypeOf(open), as: "FileHandle", calls: ON_HANDLES, fails: rejected }),
      () => {},
    );
  };
  const sessions = (session: unknown): void =>
    refuse({ owner: Object.getPrototypeOf(session), as: "http2", calls: ["request"] });
  const started = "spawn spawnSync exec execSync execFile execFileSync fork".split(" ");
  const sending = { owner: net.Socket.prototype, as: "net.Socket", fails: destroyed };
  const files = { owner: fs, as: "fs", fails: calledBack };
  return [
    { owner: net.Socket.prototype, as: "net.Socket", calls: ["connect"], fails: destroyed },
    { ...sending, calls: ["write"], isHarmless: isStandard },
    {
      ...sending,
      calls: ["end"],
      isHarmless: (self, [data]) => isStandard(self) || data === undefined || typeof data === "function",
    },
    { owner: net.Server.prototype, as: "net.Server", calls: ["listen"] },
    { owner: dgram.Socket.prototype, as: "dgram.Socket", calls: ["bind", "connect", "send"] },
    { owner: http2, as: "http2", calls: ["connect"], isHarmless: () => true, onAnswer: sessions },
    { owner: globalThis, as: "globalThis", calls: ["fetch"], fails: rejected },
    { owner: dns, as: "dns", calls: lookups, fails: calledBack },
    { owner: dns.Resolver.prototype, as: "dns.Resolver", calls: lookups, fails: calledBack },
    { owner: dns.promises, as: "dns.promises", calls: lookups, fails: rejected },
    { owner: dns.promises.Resolver.prototype, as: "dns.promises.Resolver", calls: lookups, fails: rejected },
    { owner: child_process, as: "child_process", calls: started },
    { owner: prototypeOf(child_process.ChildProcess), as: "ChildProcess", calls: ["spawn", "kill", "send"] },
    { owner: worker_threads, as: "worker_threads", calls: ["Worker"] },
    { owner: worker_threads.Worker.prototype, as: "worker_threads.Worker", calls: ["postMessage"] },
    { owner: process, as: "process", calls: ["kill", "exit", "abort", "dlopen", "send"] },
    { ...files, calls: inSync(ON_FILES), isHarmless: isStandardFile },
    { ...files, calls: inSync(ON_PATHS.filter((call) => !ON_FILES.includes(call))) },
    { ...files, calls: ["createWriteStream"] },
    { ...files, calls: ["open", "openSync"], isHarmless: opensToRead },
    { owner: prototypeOf(fs.WriteStream), as: "fs.WriteStream", calls: ["write", "end"] },
    { owner: promises, as: "fs.promises", calls: ON_PATHS, fails: rejected },
    {
      owner: promises,
      as: "fs.promises",
      calls: ["open"],
      fails: rejected,
      isHarmless: opensToRead,
      onAnswer: handles,
    },
  ];
}

function install(): void {
  if (undoing.length > 0) return;
  for (const family of families()) refuse(family);
  stopClock();
  surviving("uncaughtException");
  surviving("unhandledRejection");
  syncBuiltinESMExports();
}

function refuse({ owner, as, calls, fails = thrown, isHarmless, onAnswer }: Family): void {
  for (const key of calls) {
    const before: unknown = Reflect.get(owner, key);
    // Releases of Node differ. The prototypes that answers lead to are met again and again.
    if (typeof before !== "function" || wrappers.has(before)) continue;
    const refused = (self: unknown, args: readonly unknown[]): ReplayEffect | undefined => {
      const step = guarded.getStore();
      if (step === undefined || isHarmless?.(self, args) === true) return undefined;
      const error = new ReplayEffect(step.node, `${as}.${key}`);
      step.onRefused?.(error);
      return error;
    };
    // A proxy has what Node puts on its functions, such as the symbol of util.promisify.
    const wrapper = new Proxy(before as Called, {
      apply(target, self, args: unknown[]) {
        const error = refused(self, args);
        if (error !== undefined) return fails(error, self, args);
        const answer = Reflect.apply(target, self, args);
        onAnswer?.(answer);
        return answer;
      },
      construct(target, args: unknown[], made) {
        const error = refused(undefined, args);
        if (error !== undefined) throw error;
        return Reflect.construct(target, args, made) as object;
      },
    });
    wrappers.add(wrapper);
    put(owner, key, wrapper);
  }
}

const wrappers = new WeakSet<object>();

function put(owner: object, key: string, value: unknown): void {
  const own = Object.getOwnPropertyDescriptor(owner, key);
  Object.defineProperty(owner, key, {
    configurable: true,
    enumerable: own?.enumerable ?? false,
    writable: true,
    value,
  });
  undoing.push(() => {
    if (own === undefined) Reflect.deleteProperty(owner, key);
    else Object.defineProperty(owner, key, own);
  });
}

/** GE2. Dates of either constructor are dates of the other: both have one prototype. */
function stopClock(): void {
  const Real = Date;
  const real = Real.now;
  const now = (): number => guarded.getStore()?.at ?? real();
  const Stopped = new Proxy(Real, {
    construct: (target, args: [], made) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, made) as object,
    apply: () => new Real(now()).toString(),
  });
  put(Real, "now", now);
  put(Real.prototype, "constructor", Stopped);
  put(globalThis, "Date", Stopped);
}

/** GE1. Other errors end the process, as they do without a listener. */
function surviving(event: "uncaughtException" | "unhandledRejection"): void {
  const survive = (error: unknown): void => {
    if (!isRefusal(error) && process.listenerCount(event) === 1) throw error;
  };
  process.on(event, survive);
  undoing.push(() => process.off(event, survive));
}

/** Clients put errors of their own around it. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ReplayEffect ||
  (error instanceof Error && error.cause !== undefined && isRefusal(error.cause));
