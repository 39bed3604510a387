// The last requests that were typed: in the page as they are, in sessionStorage without credentials
// and without fields that a run, a name or a schema marks.

import { createStore } from "../../state/store.js";
import { type Draft, type DraftRoute, emptied } from "./request-draft.js";
import { readsAsJson } from "./request-text.js";

export interface StoredDraft extends Draft {
  /** Where in the page it was typed. */
  readonly key: string;
  /** "POST /orders". */
  readonly route: string;
  /** 0 for one that was not sent. */
  readonly sentAt: number;
}

const KEY = "inspector.drafts";
const MAX_DRAFTS = 20;
const MAX_BODY = 65_536;
const SECRET =
  /auth|cookie|token|secret|passw|passphrase|(?:api|private)[-_]?key|credential|session|jwt|(?:^|[-_])(?:pin|otp|cvv|ssn|iban|card)/i;
/** Of this page: a reload loses them. */
export const typed = createStore<readonly StoredDraft[]>([]);

function stored(): readonly StoredDraft[] {
  try {
    const read: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "[]");
    return Array.isArray(read) ? read : [];
  } catch {
    return [];
  }
}

/** The newest first. */
export const drafts = (): readonly StoredDraft[] =>
  stored().map((one) => typed.get().find(({ key }) => key === one.key) ?? one);

export function storeDraft(draft: StoredDraft, route: DraftRoute): void {
  const beside = (all: readonly StoredDraft[], one: StoredDraft) =>
    [one, ...all.filter(({ key }) => key !== one.key)].slice(0, MAX_DRAFTS);
  typed.set(beside(typed.get(), draft));
  try {
    sessionStorage.setItem(
      KEY,
      JSON.stringify(beside(stored(), { ...draft, ...withoutSecrets(draft, route) })),
    );
  } catch {
    // The storage is full: the request is in the page alone.
  }
}

export function withoutSecrets({ body, ...draft }: Draft, route: DraftRoute): Draft {
  // Nothing tells the fields of another text apart.
  const isOpaque = !readsAsJson(body) && (SECRET.test(body) || hasMarks(route.input_schema));
  return emptied(
    { ...draft, body: isOpaque || body.length > MAX_BODY ? "" : body },
    route,
    (_, name, schema) => SECRET.test(name) || isMarked(schema),
  );
}

const hasMarks = (schema: unknown): boolean => JSON.stringify(schema ?? null).includes('"x-sensitive"');

/** A union or a reference counts as marked if it marks anything. */
function isMarked(schema: unknown): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  return "x-sensitive" in schema || (!("properties" in schema || "items" in schema) && hasMarks(schema));
}
