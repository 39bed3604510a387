// Anchors: a file, a web hook, and the checkpoint table of another sink. Each refuses a history that
// contradicts its own.

import { FrameworkError } from "#core/errors.js";
import { invalidOption } from "#core/invalid-option.js";
import type { AuditAnchor, AuditCheckpoints, KeptCheckpoint } from "#core/ports/audit-sink.js";
import { shownUrl } from "#core/wire/shown-url.js";
import { checkpointsOf } from "./checkpoint-chain.js";
import { CheckpointFile } from "./checkpoint-file.js";

/** A file of JSON lines on another disk or machine; several processes may write it. */
export function fileAnchor(file: string): AuditAnchor {
  const checkpoints = new CheckpointFile(file);
  return { ...checkpointsAnchor(`file:${file}`, checkpoints), all: () => checkpoints.lines() };
}

/** The checkpoints of a sink in another database. */
export const sinkAnchor = (sink: {
  readonly shown: string;
  readonly checkpoints: AuditCheckpoints;
}): AuditAnchor => checkpointsAnchor(sink.shown, sink.checkpoints);

function checkpointsAnchor(shown: string, checkpoints: AuditCheckpoints): AuditAnchor {
  const own = async (number: number): Promise<string | undefined> => {
    const [kept] = await checkpoints.list(number - 1, 1);
    return kept?.number === number ? kept.text : undefined;
  };
  return {
    shown,
    newest: checkpoints.newest,
    all: () => checkpointsOf(checkpoints),
    put: async (checkpoint) => {
      const { number, text } = checkpoint;
      const newest = (await checkpoints.newest())?.number ?? 0;
      if (number > newest + 1) throw conflict(shown, `it lacks checkpoint ${newest + 1}`);
      // False if it exists already: another process may have added it meanwhile.
      if (number === newest + 1 && (await checkpoints.put(checkpoint))) return;
      if ((await own(number)) !== text) throw conflict(shown, `it holds another checkpoint ${number}`);
    },
  };
}

export interface WebhookAnchorOptions {
  /** Such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for a request. Default 10 000. */
  readonly timeoutMs?: number;
}

/** Maximum size of a response. A checkpoint has about 1 KiB. */
const MAX_ANSWER = 65_536;

/**
 * POSTs `{"number", "text"}` to the URL. A 2xx response means that it is kept, 409 that another one
 * is. GET must return the newest one in the same form, or 204 or 404 without one.
 */
export function webhookAnchor(
  url: string,
  { headers = {}, timeoutMs = 10_000 }: WebhookAnchorOptions = {},
): AuditAnchor {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw invalidOption("webhookAnchor", "give an http:// or https:// URL");
  const shown = shownUrl(url);
  const ask = async (method: "GET" | "POST", body?: string): Promise<Response> => {
    const response = await fetch(url, {
      ...{ method, redirect: "error", signal: AbortSignal.timeout(timeoutMs) },
      headers: {
        ...headers,
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
      },
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

const conflict = (shown: string, what: string): FrameworkError =>
  new FrameworkError(
    "AUDIT_ANCHOR_CONFLICT",
    `${shown}: ${what}: the log was rolled back or changed, or this anchor is that of another log`,
  );

function checkpointIn(shown: string, text: string): KeptCheckpoint {
  try {
    const { number, text: inner } = JSON.parse(text) as Partial<KeptCheckpoint>;
    if (Number.isSafeInteger(number) && typeof inner === "string")
      return { number: number as number, text: inner };
  } catch {
    // The status reports it below.
  }
  throw conflict(shown, "it holds what is no checkpoint");
}

async function shortText(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > MAX_ANSWER)
      throw new FrameworkError("AUDIT_ANCHOR_FAILED", `an anchor answered more than ${MAX_ANSWER} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
