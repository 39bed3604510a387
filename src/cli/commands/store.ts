import { EncryptionHook } from "#compliance/encryption/encryption-hook.js";
import { keysAt } from "#compliance/encryption/master-keys.js";
import { aligned } from "#config/aligned.js";
import { FrameworkConfig } from "#config/config.js";
import { FrameworkError } from "#core/errors.js";
import { type EncryptStoreOptions, encryptStore } from "#store/encrypt-store.js";
import { checkRedis } from "#store/redis/redis-stores.js";
import { checkTables, compactStore, migrateTables } from "#store/store-tables.js";
import { CommandError, type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { progressLine } from "../terminal/progress.js";

export async function storeCheck(given: Given, { out }: Surroundings): Promise<number> {
  const [operand] = given.operands;
  if (operand !== undefined && /^rediss?:/.test(operand)) return redisCheck(operand, out);
  const { shown, found, release } = await asked(() => checkTables(urlOf(given)));
  const rows = [
    ["store", shown],
    ["tables", found === 0 ? "none" : `version ${found}`],
    ["release", `version ${release}`],
  ];
  out(`${aligned(rows).join("\n")}\n`);
  const redis = operand === undefined ? loaded(given).redis.url : undefined;
  if (redis !== undefined) await redisCheck(redis.reveal(), out);
  if (found === release) return 0;
  out(
    found < release
      ? 'A migration is needed: run "framework store migrate".\n'
      : "The tables are newer: use the release that made them, or a newer one.\n",
  );
  return 1;
}

async function redisCheck(url: string, out: Surroundings["out"]): Promise<number> {
  const { shown, warnings } = await asked(() => checkRedis(url));
  out(`redis    ${shown}\n${warnings.map((warning) => `${warning}\n`).join("")}`);
  return 0;
}

export async function storeMigrate(given: Given, { out }: Surroundings): Promise<number> {
  const { shown, found, release } = await asked(() => migrateTables(urlOf(given)));
  out(
    found === release
      ? `${shown}: its tables are of version ${release} already, nothing was done\n`
      : `${shown}: migrated from ${found === 0 ? "no tables" : `version ${found}`} to version ${release}\n`,
  );
  return 0;
}

export async function storeCompact(given: Given, { out }: Surroundings): Promise<number> {
  const { isDone, left } = await asked(() => compactStore(urlOf(given)));
  for (const kept of left) out(`${kept}\n`);
  if (isDone) out("The tables are rewritten without what was deleted.\n");
  return isDone ? 0 : 1;
}

export async function storeEncrypt(given: Given, surroundings: Surroundings): Promise<number> {
  const { out } = surroundings;
  const place = given.text("keys") ?? configured(given).encryptionKeys;
  if (place === "")
    throw new UsageError("give --keys FILE or env:VARIABLE, or set persistence.encryption_keys");
  const url = urlOf(given);
  const codec = new EncryptionHook({ keys: keysAt(place) });
  const progress = progressLine(surroundings);
  const onProgress: EncryptStoreOptions["onProgress"] = ({ table, rewritten }) =>
    progress.show(`${rewritten} rows rewritten, at table ${table}`);
  const found = await asked(() => encryptStore(url, codec, { onProgress })).finally(() => progress.end());
  const { shown, current, rewritten, byKey, plain, left } = found;
  out(`${shown}: ${rewritten} rows rewritten under key ${current}\n`);
  for (const [id, rows] of byKey) {
    const unused = `used by no row: it can be removed once every process encrypts under ${current}`;
    out(`key ${id}: ${id !== current && rows === 0 ? unused : `${rows} rows`}\n`);
  }
  out(`plain: ${plain} rows\n`);
  for (const row of left) out(`left: ${row}\n`);
  if (given.flag("compact")) for (const kept of (await asked(() => compactStore(url))).left) out(`${kept}\n`);
  const isDone = plain === 0 && [...byKey].every(([id, rows]) => id === current || rows === 0);
  return isDone ? 0 : 1;
}

function urlOf(given: Given): string {
  const [url] = given.operands;
  return url ?? configured(given).url.reveal();
}

const configured = (given: Given): FrameworkConfig["persistence"] => loaded(given).persistence;

function loaded(given: Given): FrameworkConfig {
  const file = given.text("file");
  return FrameworkConfig.load(file === undefined ? {} : { file });
}

/** Only newer tables are a result, with exit code 1. Other errors are errors. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof FrameworkError && cause.code === "STORE_VERSION") throw cause;
    throw new CommandError("the store could not be asked", { cause });
  }
}
