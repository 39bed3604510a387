// Verifies an audit log as a stream: memory does not grow with its length.

import { requireKnownOptions, requireWhole } from "#core/invalid-option.js";
import type { AuditAnchor, AuditSource, KeptCheckpoint } from "#core/ports/audit-sink.js";
import { type AuditCheckpoint, parsedCheckpoint } from "./checkpoint.js";
import { checkpointsOf, type VerifiedCheckpoints, verifyCheckpoints } from "./checkpoint-chain.js";
import { EventChain } from "./event-chain.js";
import type { AuditPublicKey } from "./signing-key.js";
import { type AuditVerification, type CheckpointMark, Failures } from "./verification.js";

export interface VerifyOptions {
  /** Trusted public keys; rotations lead from them to others. Without one the log is "unsigned". */
  readonly keys?: readonly AuditPublicKey[];
  /** Its checkpoints must be in the log. Without an anchor a rollback of the whole log is not detected. */
  readonly anchor?: AuditAnchor;
  /** Begins with the checkpoint that covers this position. Default: with the first event. */
  readonly from?: number;
  /** Name of the log, as `signedAudit` was given it; "none" requires a log without one. Default: any one name. */
  readonly origin?: string;
  /** Skips signatures: finds only changes that do not recompute hashes. */
  readonly chainOnly?: boolean;
  /** Called after each 10 000 events. */
  readonly onProgress?: (events: number) => void;
}

const PROGRESS = 10_000;
/** Checkpoints of the log that are held beside those of an anchor. */
const PAGE = 200;

/** Finds every edit, removal, insertion, swap, cut and fork of a log up to its newest anchored checkpoint. */
export async function verifyAudit(
  source: AuditSource,
  options: VerifyOptions = {},
): Promise<AuditVerification> {
  requireKnownOptions("verifyAudit", options, [
    "keys",
    "anchor",
    "from",
    "origin",
    "chainOnly",
    "onProgress",
  ]);
  const { keys = [], anchor, chainOnly = false, onProgress } = options;
  const first = source.starts?.position ?? 1;
  const from = requireWhole("verifyAudit", "from", options.from ?? first, first, Number.MAX_SAFE_INTEGER);
  const failures = new Failures();
  // In this order, so that a log that grows meanwhile contains the checkpoints already read.
  const anchored = anchor && (await newestOf(anchor, failures));
  const verified = await verifyCheckpoints(
    source.checkpoints,
    chainOnly || keys.length === 0 ? undefined : keys,
    failures,
    {
      ...{ anchoredNumber: anchored?.number, starts: source.starts?.checkpoint ?? 1 },
      origin: options.origin,
    },
  );
  const { newest } = verified;
  // An archive ends before the newest checkpoint of the anchor of its log.
  const last = source.starts === undefined ? undefined : newest?.number;
  if (anchor !== undefined && anchored !== undefined) {
    if (anchor.all === undefined || anchored.number <= (last ?? anchored.number))
      compareAnchored(anchored, verified.anchored, newest, anchor, failures);
    await compareAll(anchor, source, { newest: anchored, last }, failures);
  }
  const chain = await verifyEvents(source, { from, newest }, failures, onProgress);
  // An empty log proves nothing, and nothing says that it should have events.
  const isEmpty = chain.events === 0 && verified.count === 0;
  if (!chainOnly && !isEmpty) {
    if (keys.length === 0)
      failures.add("unsigned", "unsigned: no public key was given, so nothing tells who wrote this log");
    else if (newest === undefined) failures.add("unsigned", "unsigned: the log has no checkpoint");
  }
  for (const defect of (await source.defects?.()) ?? []) failures.add("table", defect);
  if (anchor !== undefined && anchored === undefined && !isEmpty && !failures.listed.some(isOfAnchor))
    failures.add("anchor", `${anchor.shown} holds no checkpoint`);
  const anchoredMark = anchored && markOf(parsedCheckpoint(anchored.text));
  const isAnchored = anchoredMark !== undefined && !failures.listed.some(isOfAnchor);
  const covered = anchor === undefined ? newest?.last : isAnchored ? anchoredMark.last : undefined;
  const newestMark = markOf(newest);
  return {
    shown: source.shown,
    isSound: failures.count === 0,
    events: chain.events,
    checkpoints: verified.count,
    ...(newestMark !== undefined && { newest: newestMark, origin: verified.origin }),
    ...(anchoredMark !== undefined && { anchored: anchoredMark }),
    adopted: verified.adopted.events,
    behind: Math.max(0, chain.last - (covered ?? 0)),
    failures: failures.listed,
    failureCount: failures.count,
    notes: notesOf(chain, verified),
  };
}

async function newestOf(anchor: AuditAnchor, failures: Failures): Promise<KeptCheckpoint | undefined> {
  try {
    return await anchor.newest();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    failures.add("anchor", `${anchor.shown} cannot be asked: ${reason}`);
    return undefined;
  }
}

function compareAnchored(
  anchored: KeptCheckpoint,
  own: string | undefined,
  newest: AuditCheckpoint | undefined,
  { shown }: AuditAnchor,
  failures: Failures,
): void {
  const { number, text } = anchored;
  if (own === text) return;
  const where = { checkpoint: number };
  if (own !== undefined)
    failures.add("anchor", `checkpoint ${number} is not the one that ${shown} holds`, where);
  else
    failures.add(
      "anchor",
      `${shown} holds checkpoint ${number}; the newest of the log is ${newest?.number ?? "none"}: the log was rolled back or cut`,
      where,
    );
}

const isOfAnchor = ({ kind }: { readonly kind: string }): boolean => kind === "anchor";

/** Compares each checkpoint of an anchor but the newest, which was compared before. */
async function compareAll(
  { shown, all }: AuditAnchor,
  { checkpoints, starts }: AuditSource,
  { newest, last = Number.MAX_SAFE_INTEGER }: { newest: KeptCheckpoint; last?: number | undefined },
  failures: Failures,
): Promise<void> {
  let page: readonly KeptCheckpoint[] = [];
  try {
    for await (const { number, text } of all?.() ?? []) {
      // Those before and behind an archive.
      if (starts !== undefined && (number < starts.checkpoint || number > last)) continue;
      if (number === newest.number && text === newest.text) continue;
      if (!page.some((own) => own.number === number)) page = await checkpoints.list(number - 1, PAGE);
      if (page.find((own) => own.number === number)?.text !== text)
        failures.add("anchor", `${shown} holds a checkpoint ${number} that is not the one of the log`, {
          checkpoint: number,
        });
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    failures.add("anchor", `${shown} cannot be asked: ${reason}`);
  }
}

interface VerifiedPart {
  readonly from: number;
  readonly newest: AuditCheckpoint | undefined;
}

async function verifyEvents(
  source: AuditSource,
  { from, newest }: VerifiedPart,
  failures: Failures,
  onProgress: VerifyOptions["onProgress"],
): Promise<EventChain> {
  const checkpoints = parsedOf(source, newest?.number ?? 0);
  let next = (await checkpoints.next()).value;
  let previous: AuditCheckpoint | undefined;
  while (next !== undefined && next.last < from) {
    previous = next;
    next = (await checkpoints.next()).value;
  }
  const isAll = from === (source.starts?.position ?? 1);
  const start = previous === undefined || isAll ? from : previous.last + 1;
  const archived = newest?.archived ?? 0;
  const chain = new EventChain(
    { from: start, previous: isAll ? undefined : previous?.head, archived },
    failures,
  );
  // Without a position, rows before the first one are read too: they were inserted.
  for await (const row of isAll ? source.rows() : source.rows(start)) {
    while (next !== undefined && next.last < row.position) {
      if (chain.last < next.last) chain.missing(next.last, "removed", next.number);
      chain.checkpoint(next);
      next = (await checkpoints.next()).value;
    }
    chain.row(row);
    if (chain.events % PROGRESS === 0) onProgress?.(chain.events);
  }
  while (next !== undefined) {
    if (chain.last < next.last) chain.missing(next.last, "cut", next.number);
    chain.checkpoint(next);
    next = (await checkpoints.next()).value;
  }
  return chain;
}

/** The valid checkpoints, up to the newest one at the time of their verification. */
async function* parsedOf(
  { checkpoints }: AuditSource,
  newest: number,
): AsyncGenerator<AuditCheckpoint, undefined> {
  let last = 0;
  for await (const { number, text } of checkpointsOf(checkpoints)) {
    if (number > newest) return undefined;
    const checkpoint = parsedCheckpoint(text);
    if (checkpoint === undefined || checkpoint.last < last) continue;
    last = checkpoint.last;
    yield checkpoint;
  }
  return undefined;
}

const markOf = (checkpoint: AuditCheckpoint | undefined): CheckpointMark | undefined =>
  checkpoint && { number: checkpoint.number, timestamp: checkpoint.timestamp, last: checkpoint.last };

function notesOf(
  { setBack }: EventChain,
  { newest, adopted: { events, ranges } }: VerifiedCheckpoints,
): readonly string[] {
  const archived = newest?.archived ?? 0;
  return [
    ...(archived > 0 ? [`events up to ${archived} are archived`] : []),
    ...(events > 0
      ? [
          `${events} events were signed late, at the start of a process (${ranges.join(", ")}): until then nothing protected them`,
        ]
      : []),
    ...(setBack > 0
      ? [
          `${setBack} times a timestamp is before the one of the event before it: a clock was set back, or clocks of processes differ`,
        ]
      : []),
  ];
}
