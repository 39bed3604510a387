// Machines of one computer. With the rights of root each is a network namespace on a bridge, so that it
// can be cut off. Without them each is an address of loopback, and cut off by halting its programs.

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";

interface Program {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** The user it runs as, where this process may choose. */
  readonly user?: string;
}

export interface Machine {
  readonly name: string;
  readonly address: string;
  /** Starts a program on it. It ends with this process, whatever ends that. */
  readonly start: (program: string, args: readonly string[], options?: Program) => ChildProcess;
  /** Cuts it off from all other machines, without ending a program. */
  readonly cut: () => void;
  readonly mend: () => void;
}

export interface Network {
  readonly kind: "network namespaces" | "addresses of loopback";
  /** Where the balancer is, which all of them reach. */
  readonly gateway: Machine;
  readonly machine: (name: string) => Machine;
  /** Removes it. Its programs must have ended. */
  readonly end: () => void;
}

const isRoot = process.getuid?.() === 0;

/** Of the networks of this process. */
let count = 0;

/** Namespaces where they can be made. */
export function network(): Network {
  count += 1;
  // Names of interfaces have 15 characters at most.
  const bridge = `fw${process.pid}n${count}`;
  const canMake = isRoot && spawnSync("ip", ["link", "add", bridge, "type", "bridge"]).status === 0;
  if (!canMake) return loopback();
  removeLeft();
  return namespaces(bridge);
}

/** Removes networks of scripts that were killed. */
function removeLeft(): void {
  const list = (...what: readonly string[]) => execFileSync("ip", what, { encoding: "utf8" });
  const isLeft = (pid: string | undefined) => pid !== undefined && !existsSync(`/proc/${pid}`);
  for (const [space, pid] of list("netns", "list").matchAll(/^fw(\d+)n\d+-\w+/gm))
    if (isLeft(pid)) ip("netns", "del", space);
  const bridges = list("-o", "link", "show", "type", "bridge");
  for (const [, name = "", pid] of bridges.matchAll(/ (fw(\d+)n\d+):/g))
    if (isLeft(pid)) ip("link", "del", name);
}

const ip = (...args: readonly string[]): void =>
  void execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });

/** The signal of `setpriv` ends the program with its parent: none is left behind a killed test. */
function started(before: readonly string[], program: string, args: readonly string[], options: Program) {
  const { user, env, cwd } = options;
  const account =
    user !== undefined && isRoot ? [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"] : [];
  const [command = "", ...rest] = [...before, "setpriv", "--pdeathsig=KILL", ...account, program, ...args];
  // A group of its own: Ctrl-C is for the script, which ends the others in their order.
  return spawn(command, rest, {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
  });
}

function namespaces(bridge: string): Network {
  const subnet = freeSubnet();
  const made: string[] = [];
  ip("addr", "add", `${subnet}.1/24`, "dev", bridge);
  ip("link", "set", bridge, "up");
  const machine = (name: string): Machine => {
    const space = `${bridge}-${name}`;
    const port = `${bridge}v${made.length}`;
    const address = `${subnet}.${made.length + 2}`;
    ip("netns", "add", space);
    made.push(space);
    ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", space);
    ip("link", "set", port, "master", bridge, "up");
    ip("-n", space, "addr", "add", `${address}/24`, "dev", "eth0");
    ip("-n", space, "link", "set", "eth0", "up");
    ip("-n", space, "link", "set", "lo", "up");
    return {
      ...{ name, address },
      start: (program, args, options = {}) => started(["ip", "netns", "exec", space], program, args, options),
      cut: () => ip("link", "set", port, "down"),
      mend: () => ip("link", "set", port, "up"),
    };
  };
  const end = (): void => {
    process.off("exit", end);
    for (const space of made) ip("netns", "del", space);
    ip("link", "del", bridge);
  };
  // Also when an error ends this process.
  process.once("exit", end);
  return { kind: "network namespaces", gateway: local("gateway", `${subnet}.1`), machine, end };
}

/** Of 10.77.0.0/16, one that no other run of this script has. */
function freeSubnet(): string {
  const taken = execFileSync("ip", ["-o", "-4", "addr"], { encoding: "utf8" });
  for (let i = 0; i < 256; i += 1) if (!taken.includes(` 10.77.${i}.1/`)) return `10.77.${i}`;
  throw new Error("10.77.0.0/16 has no free subnet");
}

function loopback(): Network {
  const made: string[] = [];
  // Apart from those of another run.
  const subnet = `127.${70 + (count % 100)}.${process.pid % 256}`;
  return {
    kind: "addresses of loopback",
    gateway: local("gateway", "127.0.0.1"),
    machine(name) {
      made.push(name);
      return local(name, `${subnet}.${made.length + 1}`);
    },
    end() {},
  };
}

function local(name: string, address: string): Machine {
  const running = new Set<ChildProcess>();
  const signal = (sent: NodeJS.Signals): void => {
    for (const { pid } of running)
      if (pid !== undefined) for (const id of family(pid)) process.kill(id, sent);
  };
  return {
    ...{ name, address },
    start(program, args, options = {}) {
      const child = started([], program, args, options);
      running.add(child);
      child.once("exit", () => running.delete(child));
      return child;
    },
    cut: () => signal("SIGSTOP"),
    mend: () => signal("SIGCONT"),
  };
}

/** A process and its children: PostgreSQL has one for each connection. */
function family(pid: number): readonly number[] {
  const children = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  return [pid, ...children.map(Number)];
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
  } catch {
    // It has ended.
    return undefined;
  }
}
