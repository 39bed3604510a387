import { open, rm } from "node:fs/promises";
import { hostname, userInfo } from "node:os";

import { type Erasure, eraseSubject, sinksOf } from "#compliance/erasure/erase-subject.js";
import { erasureSubject } from "#compliance/erasure/erasure-subject.js";
import { exportSubject } from "#compliance/erasure/export-subject.js";
import { aligned } from "#config/aligned.js";
import { FrameworkError } from "#core/errors.js";
import type { AuditSink } from "#core/ports/audit-sink.js";
import type { ErasureSink } from "#core/ports/erasure.js";
import type { StoreSet } from "#core/ports/store-set.js";
import { visible } from "#core/wire/visible-text.js";
import type { SqlSubjectKeys } from "#store/subjects/sql-subject-keys.js";
import { FrameworkConfig } from "../../framework-config.js";
import { erasureSinksIn } from "../application/erasure-sinks.js";
import { axonsIn, ingressIn } from "../application/program-export.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";

/** What a command about one person works on. */
interface Opened {
  readonly stores: StoreSet;
  readonly sinks: readonly ErasureSink[];
  readonly audit: AuditSink;
  readonly databases: readonly Database[];
}

type Database = Pick<SqlSubjectKeys, "shown" | "compact">;

export async function complianceErase(given: Given, surroundings: Surroundings): Promise<number> {
  const { out } = surroundings;
  const [subject, issuer] = [required(given, "subject", "ID"), given.text("issuer")];
  const reason = required(given, "reason", "TEXT");
  const id = given.text("id");
  return opened(given, surroundings, async ({ stores, sinks, audit, databases }) => {
    const asked = { stores, sinks };
    if (!given.flag("yes")) {
      const person = erasureSubject("erase", subject, issuer);
      const counts = await Promise.all(
        sinksOf("erase", asked).map(async (sink) => [
          sink.name,
          String((await sink.count?.(person)) ?? "not counted"),
        ]),
      );
      out(`${aligned(counts).join("\n")}\n`);
      throw new UsageError("nothing was erased: add --yes");
    }
    const progress = progressLine(surroundings);
    const erased = await eraseSubject(
      {
        ...{ subject, reason, ...(issuer !== undefined && { issuer }), ...(id !== undefined && { id }) },
      },
      {
        ...{ ...asked, audit, by: `cli:${userInfo().username}@${hostname()} (unverified)` },
        ...{ cancelRuns: given.flag("cancel-runs"), onProgress: (sink) => progress.show(sink) },
      },
    ).finally(() => progress.end());
    out(given.flag("json") ? `${JSON.stringify(erased)}\n` : told(erased, subject));
    const isCompact = !given.flag("compact") || (await compacted(databases, given, surroundings));
    const isDone = erased.state === "done" && erased.otherIssuers.length === 0;
    return isDone && isCompact ? 0 : 1;
  });
}

/** Whether nothing that was erased is left in the files of the databases. */
async function compacted(
  databases: readonly Database[],
  given: Given,
  surroundings: Surroundings,
): Promise<boolean> {
  let isDone = true;
  const progress = progressLine(surroundings);
  for (const { shown, compact } of databases) {
    progress.show(`compacting ${shown}`);
    const { left, ...result } = await compact().finally(() => progress.end());
    isDone &&= result.isDone;
    const tell = given.flag("json") ? surroundings.err : surroundings.out;
    tell(`${shown}: compacted${left.map((where) => `\n  left: ${visible(where)}`).join("")}\n`);
  }
  return isDone;
}

function told({ id, state, sinks, otherIssuers }: Erasure, subject: string): string {
  const rows = sinks.map(({ sink, erased, state: each, error, leftCount }) => [
    sink,
    `${erased} erased`,
    each === "failed" ? `FAILED: ${visible(error ?? "")}` : leftCount > 0 ? `${leftCount} left` : "done",
  ]);
  const left = sinks.flatMap((sink) => sink.left.map((what) => `  ${sink.sink}: ${visible(what)}`));
  const others = otherIssuers.map((issuer) =>
    issuer === ""
      ? `'${visible(subject)}' without an issuer has data: leave out --issuer`
      : `'${visible(subject)}' of the issuer '${visible(issuer)}' has data: add --issuer ${visible(issuer)}`,
  );
  const again = state === "done" ? [] : [`not done: run it again with --id ${id} to erase the rest`];
  return `${[`erasure ${id}`, ...aligned(rows), ...left, ...others, ...again].join("\n")}\n`;
}

export async function complianceExport(given: Given, surroundings: Surroundings): Promise<number> {
  const [subject, issuer] = [required(given, "subject", "ID"), given.text("issuer")];
  const file = required(given, "to", "FILE");
  return opened(given, surroundings, async ({ stores, sinks }) => {
    const output = await open(file, "wx", 0o600).catch((cause) => {
      throw new CommandError(`${file} cannot be made: it must be a new file in a folder that exists`, {
        cause,
      });
    });
    const progress = progressLine(surroundings);
    let count = 0;
    const missing: string[] = [];
    try {
      for await (const line of exportSubject(
        { subject, ...(issuer !== undefined && { issuer }) },
        { stores, sinks },
      )) {
        if ("missing" in line) missing.push(line.sink);
        else count += 1;
        progress.show(`${count} values`);
        await output.appendFile(`${JSON.stringify(line)}\n`);
      }
    } catch (error) {
      // A part would pass for the whole, and the next export needs a new file.
      await rm(file);
      throw error;
    } finally {
      progress.end();
      await output.close();
    }
    surroundings.out(`${count} values are in ${file}, readable by its owner only\n`);
    for (const sink of missing) surroundings.out(`${sink}: lists no values, and is not in the file\n`);
    return 0;
  });
}

/** Prints the profile and the database before anything is done. */
async function opened(
  given: Given,
  { out, err }: Surroundings,
  use: (of: Opened) => Promise<number>,
): Promise<number> {
  const file = given.text("file");
  const config = FrameworkConfig.load(file === undefined ? {} : { file });
  const [module] = given.operands;
  const own = module === undefined ? undefined : await ownOf(module, given.text("export"));
  const stores = own?.stores ?? config.openStores();
  const keys = config.audit.subjectKeysUrl === undefined ? undefined : config.openSubjectKeys();
  // A log in memory would end with the command.
  const isSet = config.isSet("audit.url") || config.isSet("persistence.url");
  const audit = isSet || own?.stores === undefined ? config.openAudit() : own.stores.audit;
  const tell = given.flag("json") ? err : out;
  tell(
    `${aligned([
      ["profile", `${config.mode.production ? "production" : "not production"}: ${config.mode.reason}`],
      ["stores", stores.shown],
      ["audit log", audit.shown],
      ...(keys === undefined ? [] : [["audit keys", keys.shown]]),
    ]).join("\n")}\n`,
  );
  try {
    const { erasure } = stores;
    if (erasure === undefined)
      throw new CommandError(`${stores.shown} keeps nothing beyond its process: there is nothing to erase`);
    await stores.open();
    return await use({
      ...{ stores, audit },
      sinks: [...(own?.sinks ?? []), ...(keys === undefined ? [] : [keys.erasure])],
      databases: [{ shown: stores.shown, compact: erasure.compact }, ...(keys === undefined ? [] : [keys])],
    });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { message, cause } = error as Error;
    throw new CommandError(message, error instanceof FrameworkError ? undefined : { cause });
  } finally {
    await Promise.all([stores.close(), audit.close(), keys?.close()]);
  }
}

/** The stores and the sinks of an application's module. */
async function ownOf(
  module: string,
  name: string | undefined,
): Promise<{ readonly stores: StoreSet | undefined; readonly sinks: readonly ErasureSink[] }> {
  const [axons, sinks] = await Promise.all([axonsIn(module), erasureSinksIn(module)]);
  const ingress = await ingressIn(module, name, axons.length + sinks.length > 0);
  return { stores: ingress?.plan.stores, sinks };
}

function required(given: Given, option: string, shown: string): string {
  const value = given.text(option);
  if (value === undefined || value === "") throw new UsageError(`--${option} ${shown} is missing`);
  return value;
}
