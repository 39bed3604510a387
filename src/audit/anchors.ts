// Anchors: a file, a web hook, and the checkpoint table of another sink. Each refuses a history that
// contradicts what it holds.

import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname } from "node:path";

import type { AuditAnchor, AuditCheckpoints, KeptCheckpoint } from "#core/audit-sink.js";
import { FrameworkError } from "#core/errors.js";
import { invalidOption } from "#core/invalid-option.js";
import { shownUrl } from "#core/shown-url.js";

/** A file of JSON lines on another disk or machine; several processes may write it. */
export function fileAnchor(file: string): AuditAnchor {
  const shown = `file:${file}`;
  const kept = async (): Promise<ReadonlyMap<number, string>> => new Map(linesOf(shown, await textOf(file)));
  return {
    shown,
    newest: async () => newestIn(await kept()),
    put: async (checkpoint) => {
      const before = await kept();
      if (isThere(shown, checkpoint, newestIn(before)?.number ?? 0, before.get(checkpoint.number))) return;
      appendLine(file, JSON.stringify(checkpoint));
    },
  };
}

/** The checkpoints of a sink in another database. */
export function sinkAnchor(sink: { readonly shown: string; readonly checkpoints: AuditCheckpoints }): AuditAnchor {
  const { shown, checkpoints } = sink;
  const own = async (number: number): Promise<string | undefined> => {
    const [kept] = await checkpoints.list(number - 1, 1);
    return kept?.number === number ? kept.text : undefined;
  };
  return {
    shown,
    newest: checkpoints.newest,
    put: async (checkpoint) => {
      const newest = (await checkpoints.newest())?.number ?? 0;
      if (isThere(shown, checkpoint, newest, await own(checkpoint.number))) return;
      if (await checkpoints.put(checkpoint)) return;
      // Another process did so meanwhile.
      isThere(shown, checkpoint, checkpoint.number, await own(checkpoint.number));
    },
  };
}

export interface WebhookAnchorOptions {
  /** Such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for a request. Default 10 000. */
  readonly timeoutMs?: number;
}

/** Largest answer that is read. A checkpoint has about 1 KiB. */
const MAX_ANSWER = 65_536;

/**
 * POSTs `{"number", "text"}` to the URL; a 2xx answer says that it is kept, a 409 that another one is.
 * GET is to answer the newest one in the same form, or 204 or 404 where there is none.
 */
export function webhookAnchor(url: string, { headers = {}, timeoutMs = 10_000 }: WebhookAnchorOptions = {}): AuditAnchor {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalidOption("webhookAnchor", "give an http:// or https:// URL");
  const shown = shownUrl(url);
  const ask = async (method: "GET" | "POST", body?: string): Promise<Response> => {
    const response = await fetch(url, {
      ...{ method, redirect: "error", signal: AbortSignal.timeout(timeoutMs) },
      headers: { ...headers, accept: "application/json", ...(body !== undefined && { "content-type": "application/json" }) },
      ...(body !== undefined && { body }),
    });
    if (response.ok || (method === "GET" && response.status === 404)) return response;
    await response.body?.cancel();
    if (response.status === 409) throw conflict(shown, "it answered 409");
    throw new FrameworkError("AUDIT_ANCHOR_FAILED", `${shown} answered ${response.status}`);
  };
  return {
    shown,
    put: async ({ number, text }) => {
      await (await ask("POST", JSON.stringify({ number, text }))).body?.cancel();
    },
    newest: async () => {
      const response = await ask("GET");
      const answer = response.status === 200 ? await shortText(response) : "";
      if (response.status !== 200) await response.body?.cancel();
      return answer === "" ? undefined : checkpointIn(shown, answer);
    },
  };
}

/** Whether the anchor has this one. Throws AUDIT_ANCHOR_CONFLICT where it does not follow what is there. */
function isThere(shown: string, { number, text }: KeptCheckpoint, newest: number, own: string | undefined): boolean {
  if (own === text) return true;
  if (own !== undefined || number <= newest) throw conflict(shown, `it holds another checkpoint ${number}`);
  if (number > newest + 1) throw conflict(shown, `it lacks checkpoint ${newest + 1}`);
  return false;
}

const conflict = (shown: string, what: string): FrameworkError =>
  new FrameworkError(
    "AUDIT_ANCHOR_CONFLICT",
    `${shown}: ${what}: the log was rolled back or changed, or this anchor is that of another log`,
  );

const newestIn = (kept: ReadonlyMap<number, string>): KeptCheckpoint | undefined => {
  let newest: KeptCheckpoint | undefined;
  for (const [number, text] of kept) if (newest === undefined || number > newest.number) newest = { number, text };
  return newest;
};

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}

function* linesOf(shown: string, text: string): Generator<readonly [number, string]> {
  const seen = new Map<number, string>();
  // What follows the last line break was not written to its end.
  for (const line of text.split("\n").slice(0, -1)) {
    const checkpoint = checkpointIn(shown, line);
    // Two processes may write one at once.
    if ((seen.get(checkpoint.number) ?? checkpoint.text) !== checkpoint.text)
      throw conflict(shown, `it holds two checkpoints ${checkpoint.number}`);
    seen.set(checkpoint.number, checkpoint.text);
    yield [checkpoint.number, checkpoint.text];
  }
}

function checkpointIn(shown: string, text: string): KeptCheckpoint {
  try {
    const { number, text: inner } = JSON.parse(text) as Partial<KeptCheckpoint>;
    if (Number.isSafeInteger(number) && typeof inner === "string") return { number: number as number, text: inner };
  } catch {
    // Told below.
  }
  throw conflict(shown, "it holds what is no checkpoint");
}

/** One write: lines of several processes do not mix. */
function appendLine(file: string, line: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const handle = openSync(file, "a", 0o600);
  try {
    writeSync(handle, `${line}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

async function shortText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER) throw new FrameworkError("AUDIT_ANCHOR_FAILED", `an anchor answered more than ${MAX_ANSWER} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
