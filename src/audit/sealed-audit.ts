// A sink that seals or masks personal data before it is hashed.

import { randomUUID } from "node:crypto";
import type { TSchema } from "@sinclair/typebox";
import { invalidOption, requireKnownOptions } from "#core/invalid-option.js";
import type { AuditEntry, AuditEvent } from "#core/ports/audit-event.js";
import type { AuditQuery, AuditSink, SubjectKeyStore } from "#core/ports/audit-sink.js";
import { REDACTED } from "#core/secrets/secret.js";
import { canonicalJson } from "#core/wire/canonical-json.js";
import type { Json } from "#core/wire/json-text.js";
import { markedPlaces, type Place } from "#schema/redaction/marked-places.js";
import { cutMetadata, MAX_METADATA_BYTES, TOO_LARGE } from "./event/plain-json.js";
import { isPseudonymText, isSealed, openedText, pseudonymText, sealedText } from "./event/sealed-text.js";
import { fitting, type UnlinkedEvent, unlinkedEvent } from "./event/unlinked-event.js";

export interface SealedAuditOptions {
  /** Without it `actor` and `target` are kept unchanged, and marked metadata is kept as `[redacted]`. */
  readonly keys?: SubjectKeyStore;
  /** Seals the actor, under the actor's key. */
  readonly actor?: boolean;
  /** Seals the target, under the target's key. */
  readonly target?: boolean;
  /** Values that it marks as `Sensitive` are sealed, under the key of `subject`. */
  readonly metadata?: TSchema;
  /** The person that the metadata of an entry is about. Default: its actor. */
  readonly subject?: (entry: AuditEntry) => string;
}

/** Queries by `actor` and `target` take plain texts, or `sealed:1:PSEUDONYM`. */
export function sealedAudit(sink: AuditSink, options: SealedAuditOptions): AuditSink {
  requireKnownOptions("sealedAudit", options, ["keys", "actor", "target", "metadata", "subject"]);
  if (options.keys?.shown !== undefined && options.keys.shown === sink.shown)
    throw invalidOption(
      "sealedAudit",
      `the keys are in the database of the events, ${sink.shown}: its backups would keep both; give openSubjectKeys another URL`,
    );
  const sealer = new Sealer(options);
  return {
    shown: sink.shown,
    ...(sink.perProcess !== undefined && { perProcess: sink.perProcess }),
    ...(options.metadata !== undefined && { masksMetadata: true as const }),
    checkpoints: sink.checkpoints,
    append: async (entry) => sink.append(await sealer.sealed(entry)),
    rows: (from) => sink.rows(from),
    head: () => sink.head(),
    find: (id) => sink.find(id),
    defects: async () => (await sink.defects?.()) ?? [],
    query: async (query = {}) => sink.query(await sealer.asked(query)),
    remove: (through, limit) => sink.remove(through, limit),
    ...(sink.begin !== undefined && { begin: sink.begin }),
    close: () => sink.close(),
  };
}

/** The event with its sealed texts opened, if their keys exist. */
export async function openedEvent(keys: SubjectKeyStore, event: AuditEvent): Promise<AuditEvent> {
  const open = async (member: string, text: string): Promise<string> =>
    isSealed(text) ? ((await openedText(keys, placeOf(event.id, member), text)) ?? text) : text;
  const openAll = async (json: Json, path: string): Promise<Json> => {
    if (typeof json === "string" && isSealed(json)) {
      const opened = await openedText(keys, placeOf(event.id, path), json);
      return opened === undefined ? json : (JSON.parse(opened) as Json);
    }
    return mapped(json, path, openAll);
  };
  return {
    ...event,
    actor: await open("actor", event.actor),
    target: await open("target", event.target),
    metadata: (await openAll(event.metadata, "metadata")) as AuditEvent["metadata"],
  };
}

/** Bytes of a text whose sealed form fits. The hash of a longer one is sealed with its beginning. */
const MAX_SEALED = 1600;

/** A text that begins as a sealed one does is kept with a backslash before it: another could be forged. */
const unsealed = (text: string): string => (/^\\*sealed:1:/.test(text) ? `\\${text}` : text);

const placeOf = (id: string, member: string): string => `${id} ${member}`;

class Sealer {
  readonly #options: SealedAuditOptions;
  readonly #marked: Place | undefined;

  constructor(options: SealedAuditOptions) {
    this.#options = options;
    this.#marked = options.metadata && markedPlaces(options.metadata)?.root;
  }

  async sealed(entry: AuditEntry): Promise<AuditEntry> {
    const given = { ...entry, id: entry.id ?? randomUUID() };
    // Checked before sealing: otherwise the error would describe the sealed texts.
    const unlinked = unlinkedEvent(given);
    const { keys, subject } = this.#options;
    const person = subject?.(entry) ?? entry.actor;
    const text = async (name: "actor" | "target"): Promise<string> =>
      keys !== undefined && this.#options[name] === true
        ? sealedText(
            keys,
            entry[name],
            placeOf(unlinked.event.id, name),
            fitting(name, entry[name], MAX_SEALED),
          )
        : unsealed(entry[name]);
    const marked = this.#marked;
    return {
      ...{ ...given, actor: await text("actor"), target: await text("target") },
      ...(marked !== undefined && { metadata: await this.#metadata(unlinked, person, marked) }),
    };
  }

  async asked(query: AuditQuery): Promise<AuditQuery> {
    const { keys, actor, target } = this.#options;
    const text = async (asked: string, isSealing = false): Promise<string> => {
      if (isPseudonymText(asked)) return asked;
      if (keys !== undefined && isSealing) return pseudonymText(keys, asked);
      // With a backslash it may be the text as it is kept.
      return isSealed(asked) ? unsealed(asked) : asked;
    };
    return {
      ...query,
      ...(query.actor !== undefined && { actor: await text(query.actor, actor) }),
      ...(query.target !== undefined && { target: await text(query.target, target) }),
    };
  }

  async #metadata(
    { event: { id }, metadata: { json, text, isWhole } }: UnlinkedEvent,
    subject: string,
    root: Place,
  ): Promise<AuditEvent["metadata"]> {
    const { keys } = this.#options;
    const sealOne = async (json: Json, path: string): Promise<Json> =>
      keys === undefined ? REDACTED : sealedText(keys, subject, placeOf(id, path), canonicalJson(json));
    const seal = async (json: Json, path: string, place: Place | undefined): Promise<Json> => {
      if (place?.isMarked === true) return sealOne(json, path);
      return mapped(json, path, (inner, innerPath, name) =>
        seal(inner, innerPath, typeof name === "number" ? place?.item(name) : place?.property(name)),
      );
    };
    if (isWhole) {
      const parts = (await seal(json, "metadata", root)) as AuditEvent["metadata"];
      if (Buffer.byteLength(canonicalJson(parts)) <= MAX_METADATA_BYTES) return parts;
    }
    // Its beginning may have what is marked.
    const beginning = isWhole ? cutMetadata(text)[TOO_LARGE] : (json[TOO_LARGE] as string);
    return { [TOO_LARGE]: await sealOne(beginning, `metadata.${JSON.stringify(TOO_LARGE)}`) };
  }
}

/** A list or an object with its parts mapped in order; other values unchanged. */
async function mapped(
  json: Json,
  path: string,
  map: (inner: Json, path: string, name: string | number) => Promise<Json>,
): Promise<Json> {
  if (typeof json !== "object" || json === null) return json;
  if (Array.isArray(json)) {
    const list: Json[] = [];
    for (const [at, item] of json.entries()) list.push(await map(item, `${path}[${at}]`, at));
    return list;
  }
  const record: Record<string, Json> = {};
  // Assigning "__proto__" would set the prototype.
  for (const [name, item] of Object.entries(json))
    Object.defineProperty(record, name, {
      value: await map(item, `${path}.${JSON.stringify(name)}`, name),
      enumerable: true,
    });
  return record;
}
