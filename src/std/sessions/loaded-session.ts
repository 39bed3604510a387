import { createHmac, timingSafeEqual } from "node:crypto";

import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { Session } from "#core/ports/session.js";
import type { SessionData, SessionRecord } from "#core/ports/session-store.js";
import { endOf } from "./session-record.js";

/** A session as steps see it. Secrets are in private fields, which are not serialised. */
export class LoadedSession implements Session {
  readonly identity: IamIdentity;
  readonly data: SessionData;
  readonly version: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly idleUntil: number;
  readonly #sessions: object;
  readonly #key: string;
  readonly #record: SessionRecord;
  readonly #random: (bytes: number) => Uint8Array;

  /** `sessions` is the owner: keys of one store mean nothing in another. */
  constructor(sessions: object, key: string, record: SessionRecord, random: (bytes: number) => Uint8Array) {
    this.identity = record.identity;
    this.data = record.data;
    this.version = record.version;
    this.createdAt = record.createdAt;
    this.expiresAt = endOf(record);
    this.idleUntil = Math.min(record.idleUntil, this.expiresAt);
    this.#sessions = sessions;
    this.#key = key;
    this.#record = record;
    this.#random = random;
  }

  get csrfToken(): string {
    return csrfTokenOf(this.#record.csrfSecret, this.#random);
  }

  /** Throws TypeError, as the other methods do, for an object that is no LoadedSession. */
  static isOf(session: Session, sessions: object): boolean {
    return LoadedSession.#of(session).#sessions === sessions;
  }

  /** Its key in the store and its record. Throws TypeError for a session of other Sessions too. */
  static keptOf(session: Session, sessions: object): readonly [key: string, record: SessionRecord] {
    const loaded = LoadedSession.#of(session);
    if (loaded.#sessions !== sessions)
      throw new TypeError("A Session is changed by the Sessions that made it: this one is of others");
    return [loaded.#key, loaded.#record];
  }

  static hasToken(session: Session, token: string): boolean {
    return isCsrfToken(token, LoadedSession.#of(session).#record.csrfSecret);
  }

  static #of(session: Session): LoadedSession {
    if (session instanceof LoadedSession) return session;
    throw new TypeError("A Session on the Bus is written by the steps of sessions alone");
  }
}

const BYTES = 32;
const TOKEN = /^[\w-]{86}$/;

/** A derived value: pages never contain the stored secret. */
const macOf = (secret: string): Buffer => createHmac("sha256", secret).update("framework csrf 1").digest();

/** `random` is called for 32 bytes. */
export function csrfTokenOf(secret: string, random: (bytes: number) => Uint8Array): string {
  const mask = random(BYTES);
  return Buffer.concat([mask, xor(macOf(secret), mask)]).toString("base64url");
}

/** Constant time for all texts of one length. */
export function isCsrfToken(token: string, secret: string): boolean {
  if (!TOKEN.test(token)) return false;
  const bytes = Buffer.from(token, "base64url");
  const mac = xor(bytes.subarray(BYTES), bytes.subarray(0, BYTES));
  // hole: any token would pass
  return timingSafeEqual(mac, macOf(secret));
}

const xor = (a: Uint8Array, b: Uint8Array): Uint8Array => a.map((byte, i) => byte ^ (b[i] as number));
