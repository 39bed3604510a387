import type { IamIdentity } from "#core/iam-identity.js";
import type { Session } from "#core/session.js";
import type { SessionData, SessionRecord } from "#core/session-store.js";
import { csrfTokenOf, isCsrfToken } from "./csrf-token.js";

/** A session as the steps know it. What could be used by others is in no field that is written out. */
export class LoadedSession implements Session {
  readonly identity: IamIdentity;
  readonly data: SessionData;
  readonly version: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly idleUntil: number;
  readonly #key: string;
  readonly #record: SessionRecord;
  readonly #random: (bytes: number) => Uint8Array;

  constructor(key: string, record: SessionRecord, random: (bytes: number) => Uint8Array) {
    this.identity = record.identity;
    this.data = record.data;
    this.version = record.version;
    this.createdAt = record.createdAt;
    this.expiresAt = record.expiresAt;
    this.idleUntil = record.idleUntil;
    this.#key = key;
    this.#record = record;
    this.#random = random;
  }

  get csrfToken(): string {
    return csrfTokenOf(this.#record.csrfSecret, this.#random);
  }

  /** What it is kept under. Throws TypeError, as the others do, for what somebody else has put on the Bus. */
  static keyOf(session: Session): string {
    return LoadedSession.#of(session).#key;
  }

  static recordOf(session: Session): SessionRecord {
    return LoadedSession.#of(session).#record;
  }

  static hasToken(session: Session, token: string): boolean {
    return isCsrfToken(token, LoadedSession.#of(session).#record.csrfSecret);
  }

  static #of(session: Session): LoadedSession {
    if (session instanceof LoadedSession) return session;
    throw new TypeError("A Session on the Bus is written by the steps of sessions alone");
  }
}
