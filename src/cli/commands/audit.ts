import { existsSync, readFileSync, writeFileSync } from "node:fs";

import { openArchive } from "#audit/archive.js";
import { originOf } from "#audit/chain/checkpoint.js";
import { proveEvent, wrongInProof } from "#audit/chain/proof.js";
import { generateSigningKey, publicKeys, readPublicKeys, readSigningKey } from "#audit/chain/signing-key.js";
import type { AuditVerification } from "#audit/chain/verification.js";
import { verifyAudit } from "#audit/chain/verify.js";
import { isMatch } from "#audit/event/query-match.js";
import { isTimestamp, timestampOf } from "#audit/event/timestamp.js";
import { retainAudit } from "#audit/retain.js";
import { aligned } from "#config/aligned.js";
import { FrameworkConfig } from "#config/config.js";
import { FrameworkError } from "#core/errors.js";
import type { AuditQuery, AuditRow, AuditSink, AuditSource } from "#core/ports/audit-sink.js";
import { visible } from "#core/wire/visible-text.js";
import { anchorAt, openAudit } from "#store/open-audit.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";

export async function auditVerify(given: Given, surroundings: Surroundings): Promise<number> {
  const keyFile = given.text("key");
  const place = given.text("anchor") ?? (given.text("url") === undefined ? configOf(given).audit.anchor : "");
  const [from, origin] = [given.text("from"), given.text("origin")];
  const keys = keyFile === undefined ? [] : asked(() => readPublicKeys(keyFile));
  const progress = progressLine(surroundings);
  const found = await withSource(given, (source) =>
    verifyAudit(source, {
      ...{ keys, chainOnly: given.flag("chain-only") },
      ...(from !== undefined && { from: wholeOf("from", from) }),
      ...(origin !== undefined && { origin }),
      ...(place !== "" && { anchor: anchorAt(place) }),
      onProgress: (events) => progress.show(`${events} events`),
    }),
  ).finally(() => progress.end());
  surroundings.out(given.flag("json") ? `${JSON.stringify(found)}\n` : told(found, given.flag("chain-only")));
  return found.isSound ? 0 : 1;
}

function told(found: AuditVerification, isChainOnly: boolean): string {
  const { newest, anchored, behind } = found;
  const mark = (of: typeof newest, none: string): string =>
    of === undefined ? none : `checkpoint ${of.number} of ${of.timestamp}, up to event ${of.last}`;
  const rows = [
    ["audit log", found.shown],
    ["origin", visible(found.origin ?? "none")],
    ["events", String(found.events)],
    ["checkpoints", String(found.checkpoints)],
    ["newest", mark(newest, "none")],
    ["anchored", mark(anchored, "none was compared")],
    [
      "not protected",
      behind === 0
        ? "no event"
        : `${behind} events behind ${anchored === undefined ? "the newest checkpoint" : "the anchored one"}`,
    ],
    ...found.notes.map((note) => ["note", note]),
    ...found.failures.map(({ kind, message }) => [kind, visible(message)]),
  ];
  const more = found.failureCount - found.failures.length;
  const verdict = found.isSound
    ? `sound${isChainOnly ? ", as far as hashes tell: no signature was looked at" : ""}`
    : `NOT SOUND: ${found.failureCount} ${found.failureCount === 1 ? "failure" : "failures"}${more > 0 ? `, of which ${more} are not printed` : ""}`;
  return `${aligned(rows).join("\n")}\n${verdict}\n`;
}

export async function auditProve(given: Given, { out }: Surroundings): Promise<number> {
  const [id] = given.operands;
  if (id === undefined) throw new UsageError("give the id of an event: framework audit prove ID");
  const proof = await withSource(given, (source) => proveEvent(source, id));
  if (proof === undefined)
    throw new Error(`there is no event with the id '${visible(id)}', or no checkpoint covers it yet`);
  out(`${JSON.stringify(proof, undefined, 2)}\n`);
  return 0;
}

export async function auditVerifyProof(given: Given, { out }: Surroundings): Promise<number> {
  const [file] = given.operands;
  const keyFile = given.text("key");
  if (file === undefined || keyFile === undefined)
    throw new UsageError("give a proof and a key: framework audit verify-proof FILE --key FILE");
  const keys = asked(() => publicKeys(readFileSync(keyFile, "utf8"), keyFile));
  const text = asked(() => readFileSync(file, "utf8"));
  const proof: unknown = parsed(text);
  const origin = given.text("origin");
  const wrong = wrongInProof(proof, keys, origin === undefined ? {} : { origin });
  if (wrong !== undefined) {
    out(`NOT PROVED: ${wrong}\n`);
    return 1;
  }
  const { event, position, checkpoint } = proof as NonNullable<Awaited<ReturnType<typeof proveEvent>>>;
  const rows = [
    ["origin", visible(originOf(checkpoint))],
    ["event", visible(event.id)],
    ["position", String(position)],
    ["time", event.timestamp],
    ["actor", visible(event.actor)],
    ["action", visible(event.action)],
    ["target", visible(event.target)],
    ["signed", `checkpoint ${checkpoint.number} of ${checkpoint.timestamp}, key ${checkpoint.key}`],
  ];
  out(`${aligned(rows).join("\n")}\nproved\n`);
  return 0;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export async function auditQuery(given: Given, { out }: Surroundings): Promise<number> {
  const limit = given.text("limit");
  const query = {
    ...filterOf(given),
    ...(limit !== undefined && { limit: wholeOf("limit", limit) }),
    ...(given.flag("newest-first") && { newestFirst: true }),
  };
  const rows = await withSource(given, (source) => source.query(query));
  const lines = given.flag("json") ? rows.map((row) => JSON.stringify(row)) : aligned(rows.map(cellsOf));
  if (lines.length > 0) out(`${lines.join("\n")}\n`);
  return 0;
}

function cellsOf(row: AuditRow): readonly string[] {
  if (!("event" in row)) return [String(row.position), "(not readable)", row.unreadable, "", "", ""];
  const { timestamp, actor, action, target, intent = "" } = row.event;
  return [String(row.position), timestamp, ...[actor, action, target, intent].map(visible)];
}

export async function auditExport(given: Given, { out }: Surroundings): Promise<number> {
  const query = filterOf(given);
  return withSource(given, async (source) => {
    for await (const row of source.rows()) if (isMatch(row, query)) out(`${JSON.stringify(row)}\n`);
    return 0;
  });
}

export async function auditRetain(given: Given, { out }: Surroundings): Promise<number> {
  const [before, to] = [given.text("before"), given.text("to")];
  if (before === undefined || to === undefined)
    throw new UsageError("give a time and an archive: framework audit retain --before TIME --to FILE");
  const keyFile = given.text("signing-key") ?? configOf(given).audit.signingKeyFile;
  if (keyFile === "")
    throw new UsageError("give the key that signs: --signing-key FILE, or audit.signing_key_file");
  const previous = given.text("previous-key");
  const options = {
    ...{ key: asked(() => readSigningKey(keyFile)), before: timeOf("before", before), to },
    ...(previous !== undefined && { previousKey: asked(() => readSigningKey(previous)) }),
  };
  const { archived, through } = await withSink(given, (sink) => retainAudit(sink, options));
  out(
    archived === 0
      ? "no checkpoint is old enough: nothing was archived\n"
      : `${archived} events are in ${to}; events up to ${through} are archived\n`,
  );
  return 0;
}

export async function auditKeygen(given: Given, { out }: Surroundings): Promise<number> {
  const [file] = given.operands;
  if (file === undefined) throw new UsageError("give the file of the key: framework audit keygen FILE");
  const { privateKey, publicKey } = generateSigningKey();
  asked(() => {
    writeFileSync(file, privateKey, { flag: "wx", mode: 0o600 });
    writeFileSync(`${file}.pub`, publicKey, { flag: "wx", mode: 0o644 });
  });
  const [key] = publicKeys(publicKey);
  out(`${file} and ${file}.pub: key ${key?.id}\n`);
  return 0;
}

const configOf = (given: Given): FrameworkConfig => {
  const file = given.text("file");
  return FrameworkConfig.load(file === undefined ? {} : { file });
};

function urlOf(given: Given): string {
  const own = given.text("url");
  const config = own === undefined ? configOf(given) : undefined;
  const url = own ?? (config?.audit.url ?? config?.persistence.url)?.reveal() ?? "";
  if (/^(sqlite|file|archive):.|^postgres(ql)?:\/\//s.test(url)) return url;
  // It may be a password.
  throw new UsageError(
    `${own === undefined ? "audit.url of the configuration" : "--url"}: the URL of an audit log is sqlite:PATH, postgres://USER@HOST/DATABASE, file:FOLDER or archive:FILE`,
  );
}

async function withSource<T>(given: Given, use: (source: AuditSource) => Promise<T>): Promise<T> {
  const url = urlOf(given);
  const [, archive] = /^archive:(.+)/s.exec(url) ?? [];
  if (archive === undefined) return withSink(given, use);
  return judged(async () => use(await openArchive(archive)));
}

function withSink<T>(given: Given, use: (sink: AuditSink) => Promise<T>): Promise<T> {
  return judged(async () => {
    const url = urlOf(given);
    if (url.startsWith("archive:"))
      throw new UsageError("--url: an archive is not written again: give the audit log");
    const [, file] = /^(?:sqlite|file):(.+)/s.exec(url) ?? [];
    // Reading commands do not create the folder.
    if (file !== undefined && !existsSync(file)) throw new CommandError(`there is no audit log at ${file}`);
    const sink = openAudit(url, { autoMigrate: false });
    try {
      return await use(sink);
    } finally {
      await sink.close();
    }
  });
}

/** A broken log is a result, with exit code 1. An unreadable log is an error. */
async function judged<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (
      cause instanceof CommandError ||
      (cause instanceof FrameworkError && cause.code === "AUDIT_CHAIN_BROKEN")
    )
      throw cause;
    throw new CommandError("the audit log could not be read", { cause });
  }
}

function asked<T>(ask: () => T): T {
  try {
    return ask();
  } catch (cause) {
    throw new CommandError("a file could not be read or written", { cause });
  }
}

function filterOf(given: Given): AuditQuery {
  const texts = (["actor", "action", "target"] as const).flatMap((name) => {
    const text = given.text(name);
    return text === undefined ? [] : [[name, text] as const];
  });
  const times = (["since", "until"] as const).flatMap((name) => {
    const time = given.text(name);
    return time === undefined ? [] : [[name, timeOf(name, time)] as const];
  });
  return Object.fromEntries([...texts, ...times]);
}

function timeOf(option: string, text: string): string {
  if (isTimestamp(text)) return text;
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw new UsageError(`--${option} '${visible(text)}': write 2026-01-31, or 2026-01-31T12:00:00Z`);
  return timestampOf(time * 1000);
}

function wholeOf(option: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} '${visible(text)}': write a whole number from 1`);
}
