// Checks this machine for a server that is started here. Every finding has its remedy. Changes nothing:
// ports are opened and released, stores are asked for their version.

import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { aligned } from "#config/aligned.js";
import { FrameworkConfig } from "#config/config.js";
import { ConfigError } from "#config/mistake.js";
import { FrameworkError } from "#core/errors.js";
import { isTestedBinary, nativeBinding } from "#http/native/binding.js";
import { endingSoon, readCredentials } from "#http/tls/credentials.js";
import { tlsPlan } from "#http/tls/tls-options.js";
import { checkRedis } from "#store/redis/redis-stores.js";
import { checkTables } from "#store/store-tables.js";
import { packageFolder } from "../application/package-folder.js";
import { painter } from "../terminal/colour.js";
import type { Given, Surroundings } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";

/** "note" for a setting that may be intended: it does not change the exit code. */
interface Finding {
  readonly check: string;
  readonly verdict: "ok" | "note" | "wrong";
  readonly finding: string;
  readonly remedy?: string;
}

export async function doctor(given: Given, surroundings: Surroundings): Promise<number> {
  const progress = progressLine(surroundings);
  const findings: Finding[] = [];
  const file = given.text("file");
  const config = loadedConfig(file, findings);
  for (const check of [...HERE, ...(config === undefined ? [] : configured(config))]) {
    progress.show(`checking ${check.name}`);
    findings.push(...(await check.run()));
  }
  progress.end();
  const wrong = findings.filter(({ verdict }) => verdict === "wrong").length;
  surroundings.out(
    given.flag("json") ? `${JSON.stringify(findings, null, 2)}\n` : asText(findings, surroundings),
  );
  return wrong > 0 ? 1 : 0;
}

interface Check {
  readonly name: string;
  readonly run: () => readonly Finding[] | Promise<readonly Finding[]>;
}

function asText(findings: readonly Finding[], surroundings: Surroundings): string {
  const paint = painter(surroundings);
  const lines = aligned(findings.map(({ verdict, check, finding }) => [verdict, check, finding]));
  const shown = findings.flatMap(({ verdict, remedy }, i) => {
    const line = lines[i] as string;
    const painted = verdict === "ok" ? line : paint(verdict === "wrong" ? "red" : "yellow", line);
    return remedy === undefined ? [painted] : [painted, `       ${remedy}`];
  });
  const wrong = findings.filter(({ verdict }) => verdict === "wrong").length;
  const verdict =
    wrong === 0
      ? paint("green", "Nothing is wrong.")
      : `${wrong} ${wrong === 1 ? "thing is" : "things are"} wrong.`;
  return `${shown.join("\n")}\n\n${verdict}\n`;
}

function loadedConfig(file: string | undefined, findings: Finding[]): FrameworkConfig | undefined {
  try {
    const config = FrameworkConfig.load(file === undefined ? {} : { file });
    const profile = config.mode.production ? "production" : "not production";
    findings.push(
      ok("configuration", `${config.file ?? "no framework.toml"}; ${profile}: ${config.mode.reason}`),
    );
    return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    findings.push(
      ...error.mistakes.map(({ file, line, key, problem, remedy }) =>
        wrong(
          "configuration",
          `${[[file, line].filter((part) => part !== undefined).join(":"), key].filter((part) => part !== "").join(" ")}: ${problem}`,
          remedy,
        ),
      ),
    );
    return undefined;
  }
}

const ok = (check: string, finding: string): Finding => ({ check, verdict: "ok", finding });
const note = (check: string, finding: string, remedy: string): Finding => ({
  check,
  verdict: "note",
  finding,
  remedy,
});
const wrong = (check: string, finding: string, remedy: string): Finding => ({
  check,
  verdict: "wrong",
  finding,
  remedy,
});

const HERE: readonly Check[] = [
  { name: "Node.js", run: nodeVersion },
  { name: "the native server", run: nativeServer },
  { name: "the C library", run: cLibrary },
  { name: "the clock", run: clock },
];

const manifestFile = join(packageFolder, "package.json");

function nodeVersion(): readonly Finding[] {
  const { engines } = JSON.parse(readFileSync(manifestFile, "utf8")) as {
    readonly engines: { readonly node: string };
  };
  const [major = 0, minor = 0] = numbersOf(engines.node);
  const [here = 0, hereMinor = 0] = numbersOf(process.versions.node);
  const isNewEnough = here > major || (here === major && hereMinor >= minor);
  return [
    isNewEnough
      ? ok("node", process.versions.node)
      : wrong("node", process.versions.node, `install Node.js ${engines.node}`),
  ];
}

const numbersOf = (version: string): readonly number[] => (version.match(/\d+/g) ?? []).map(Number);

function nativeServer(): readonly Finding[] {
  try {
    const binding = nativeBinding();
    const isTested = isTestedBinary(binding);
    if (isTested === false)
      return [
        wrong(
          "native server",
          `${binding.source} has another sha256 than the binary that was tested`,
          `remove node_modules and the lockfile's entry, and install again: the file is ${binding.file}`,
        ),
      ];
    return [
      isTested === true
        ? ok("native server", `${binding.source}, its sha256 is that of the tested one`)
        : note(
            "native server",
            `${binding.source} was not tested with this release`,
            "remove uWebSockets.js from the application's dependencies for the tested one",
          ),
    ];
  } catch (error) {
    if (!(error instanceof FrameworkError)) throw error;
    const [finding = "", ...remedy] = error.message.split(": ");
    return [wrong("native server", finding, remedy.join(": "))];
  }
}

function cLibrary(): readonly Finding[] {
  if (process.platform !== "linux") return [];
  const { header } = process.report.getReport() as unknown as {
    readonly header: { readonly glibcVersionRuntime?: string };
  };
  const { glibcVersionRuntime: version } = header;
  if (version === undefined)
    return [
      wrong("C library", "no glibc: this is musl", "use an image with glibc, node:22-bookworm-slim say"),
    ];
  const [major = 0, minor = 0] = numbersOf(version);
  const node = numbersOf(process.versions.node)[0] ?? 0;
  const needed = node >= 24 ? 38 : 28;
  return [
    major > 2 || minor >= needed
      ? ok("C library", `glibc ${version}`)
      : wrong(
          "C library",
          `glibc ${version}`,
          `the native server for Node.js ${node} needs 2.${needed}: use a newer system, or an older Node.js`,
        ),
  ];
}

/** A clock before the date of the package's files: tokens, certificates and leases would be misjudged. */
function clock(): readonly Finding[] {
  const installed = statSync(manifestFile).mtimeMs;
  const now = Date.now();
  const shown = new Date(now).toISOString();
  return [
    now + CLOCK_SLACK_MS >= installed
      ? ok("clock", shown)
      : wrong(
          "clock",
          `${shown}, before this package was installed`,
          "set the clock: systemctl enable --now systemd-timesyncd, say",
        ),
  ];
}

const CLOCK_SLACK_MS = 60_000;

const configured = (config: FrameworkConfig): readonly Check[] => [
  { name: "open files", run: () => openFiles(config) },
  { name: "the server's port", run: () => port("server.port", config.server) },
  {
    name: "the Inspector's port",
    run: () => (config.inspector.enabled ? port("inspector.port", config.inspector) : []),
  },
  { name: "the stores", run: () => stores(config) },
  { name: "Redis", run: () => redis(config) },
  { name: "certificates", run: () => certificates(config) },
];

/** Each connection needs a file descriptor, and so does the rest of the process. */
function openFiles({ server }: FrameworkConfig): readonly Finding[] {
  const [, soft = ""] = /^Max open files +(\S+)/m.exec(limitsText()) ?? [];
  if (soft === "") return [];
  const needed = server.maxConnections + OTHER_FILES;
  if (soft === "unlimited" || Number(soft) >= needed) return [ok("open files", `up to ${soft}`)];
  return [
    note(
      "open files",
      `up to ${soft}, and server.max_connections is ${server.maxConnections}`,
      `raise it: ulimit -n ${needed}, or LimitNOFILE=${needed} in the unit of systemd; or lower server.max_connections`,
    ),
  ];
}

const OTHER_FILES = 200;

function limitsText(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}

async function port(key: string, { host, port: number }: { readonly host: string; readonly port: number }) {
  if (host.startsWith("unix:") || number === 0) return [];
  const code = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(number, host, () => server.close(() => resolve(undefined)));
  });
  const place = `${host}:${number}`;
  if (code === undefined) return [ok(key, `${place} is free`)];
  const remedies: Readonly<Record<string, string>> = {
    EADDRINUSE: `another process listens there, ss -ltnp 'sport = :${number}' names it: end it, or set ${key} to another port`,
    EACCES:
      "ports below 1024 are for root: take a higher one behind a proxy, or give the program CAP_NET_BIND_SERVICE",
    EADDRNOTAVAIL: "no interface of this machine has the address: 0.0.0.0 is every one",
    ENOTFOUND: "the host name has no address here: give an address",
  };
  return [wrong(key, `${place} cannot be listened on: ${code}`, remedies[code] ?? "choose another address")];
}

async function stores(config: FrameworkConfig): Promise<readonly Finding[]> {
  const keys = (["persistence.url", "audit.url"] as const).filter((key) => config.isSet(key));
  const found = await Promise.all(
    keys.map(async (key): Promise<Finding | undefined> => {
      const url = (key === "audit.url" ? config.audit.url : config.persistence.url)?.reveal() ?? "";
      if (!/^(?:sqlite|postgres(?:ql)?):/.test(url)) return undefined;
      try {
        const { shown, found, release } = await checkTables(url);
        if (found === release) return ok(key, `${shown}, tables of version ${found}`);
        if (found > release)
          return wrong(
            key,
            `${shown} has tables of version ${found}, newer than this release`,
            "use the release that made them, or a newer one",
          );
        const tables = found === 0 ? "no tables" : `tables of version ${found}`;
        return config.persistence.autoMigrate
          ? ok(key, `${shown} has ${tables}: the first process that starts makes those of version ${release}`)
          : wrong(
              key,
              `${shown} has ${tables}, this release needs ${release}`,
              "run framework store migrate: persistence.auto_migrate is off",
            );
      } catch (error) {
        return wrong(
          key,
          `cannot be opened: ${withCause(error)}`,
          "start the database, or correct the URL; framework store check asks it again",
        );
      }
    }),
  );
  return found.filter((finding) => finding !== undefined);
}

async function redis({ redis: { url } }: FrameworkConfig): Promise<readonly Finding[]> {
  const key = "redis.url";
  if (url === undefined) return [];
  try {
    const { shown, warnings } = await checkRedis(url.reveal());
    if (warnings.length === 0) return [ok(key, `${shown} answers, and evicts nothing`)];
    return warnings.map((warning) => note(key, warning, "docs/operations/redis.md says what Redis must be"));
  } catch (error) {
    return [
      wrong(
        key,
        `cannot be used: ${withCause(error)}`,
        "start it, correct the URL, or do what the line above says",
      ),
    ];
  }
}

function withCause(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error && !message.endsWith(cause.message)
    ? `${message}: ${cause.message}`
    : message;
}

async function certificates({ tls }: FrameworkConfig): Promise<readonly Finding[]> {
  if (!tls.enabled) return [];
  try {
    const { passphrase } = tls;
    const plan = tlsPlan(
      tls.certPath,
      tls.keyPath,
      passphrase === undefined ? {} : { passphrase: passphrase.reveal() },
    );
    const read = await readCredentials(plan, Date.now());
    const soon = endingSoon(read, Date.now());
    const doubts = [...read.doubts, ...soon].map((doubt) => note("tls", doubt, "docs/tls.md says more"));
    return doubts.length > 0 ? doubts : [ok("tls", `${tls.certPath} and its key fit, and are valid`)];
  } catch (error) {
    if (!(error instanceof FrameworkError)) throw error;
    return [wrong("tls", error.message, "docs/tls.md says more")];
  }
}
