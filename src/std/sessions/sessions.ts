import { type Fault, fault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { declareBy } from "#core/flow/used-store.js";
import { IamError } from "#core/iam/iam-error.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { IamVerifier } from "#core/iam/iam-verifier.js";
import type { Session, SessionLookup } from "#core/ports/session.js";
import type { SessionData, SessionFound, SessionRecord } from "#core/ports/session-store.js";
import type { StoreSet, StoresUser } from "#core/ports/store-set.js";
import { Secret } from "#core/secrets/secret.js";
import { SessionFault, type StoreUnavailable } from "../faults.js";
import { LoadedSession } from "./loaded-session.js";
import { conflictIn, type EndedFault, type MadeFault, type MovedFault } from "./session-faults.js";
import { type CheckedSessions, checkedSessions, type SessionsOptions } from "./session-options.js";
import { keyOfId, type SessionPlace } from "./session-place.js";
import { endOf, isFound, keptData, keptIdentity, ownerOf } from "./session-record.js";
import { ANSWERS, andThen, asked } from "./session-store-calls.js";

/** A new or moved session, and the value that gives the client its id. */
export interface IssuedSession {
  readonly session: Session;
  readonly issued: Secret<string>;
}

const NONE = Object.freeze({ kind: "none" } as const);
const EXPIRED = Object.freeze({ kind: "expired" } as const);
const REPLACED = Object.freeze({ kind: "replaced" } as const);

/** Maximum number of retries of a change after conflicts. */
const MAX_UPDATES = 5;

/** A use is written after this part of the idle time. */
const IDLE_PARTS = 10;

/**
 * Sessions of one kind. Made once, and passed to each of their steps. Ids are made here, of 256 random
 * bits: an id from a client is only looked up. The Bus holds it as a Secret; no other place has it. A
 * failing store is a fault: no caller counts as logged in, or logged out, because of it.
 */
export class Sessions implements StoresUser {
  /** Their text in drawings. */
  readonly description: string;
  /** That of the store. */
  declare readonly perProcess?: string;
  /** @internal */
  readonly place: SessionPlace;
  readonly #options: CheckedSessions;
  #ended = 0;

  /** Throws CONFIG_INVALID. */
  constructor(options: SessionsOptions = {}) {
    const checked = checkedSessions(options);
    const { place, store, absoluteMs, idleMs } = checked;
    this.#options = checked;
    this.place = place;
    this.description = `${place.description}, for ${absoluteMs} ms, idle ${idleMs} ms`;
    declareBy<Sessions>(this, { perProcess: () => store.current.perProcess });
  }

  /** Steps and verifiers of these sessions call it. */
  readonly useStores = ({ sessions }: StoreSet): (() => void) => this.#options.store.use(sessions);

  /**
   * Changes the data. `change` maps the current data to the new data. It is called again after a
   * concurrent change. Returns the resulting session: set it on the Bus if later steps read it. Throws
   * the errors of `change`.
   */
  async update(
    session: Session,
    change: (data: SessionData) => SessionData,
  ): Promise<Session | Fault<MovedFault>> {
    const { store, now, maxDataBytes } = this.#options;
    const [key, loaded] = LoadedSession.keptOf(session, this);
    let record = loaded;
    for (let n = 0; n < MAX_UPDATES; n += 1) {
      const { version } = record;
      const data = keptData(change(record.data), maxDataBytes);
      if (data === undefined) return fault(new SessionFault("SESSION_DATA_TOO_LARGE"));
      const answer = await this.#ask(
        () => store.current.update(key, version, data, now(), record),
        ANSWERS.update,
      );
      if (answer instanceof SessionFault) return fault(answer);
      if (answer === "updated") return this.#loaded(key, { ...record, data, version: version + 1 });
      const found = answer === "changed" ? await this.#find(key) : undefined;
      if (found instanceof SessionFault) return fault(found);
      if (found?.kind !== "live") break;
      record = found.record;
    }
    return fault(new SessionFault("SESSION_CONFLICT"));
  }

  /** Ends all sessions of a subject, on all devices. Resolves to the number of live ones. */
  endAll(identity: Pick<IamIdentity, "subject" | "issuer">): MaybePromise<number | Fault<StoreUnavailable>> {
    return andThen(this.destroyAll(ownerOf(identity)), (ended) =>
      ended instanceof SessionFault ? fault(ended) : ended,
    );
  }

  /** For `withIam` and AuthGuard: `withIam(policy, sessions.verifier(), { token: cookie("__Host-sid") })`. */
  verifier(): SessionVerifier {
    return new SessionVerifier(this);
  }

  /** @internal Number of sessions that this process has ended. */
  get ended(): number {
    return this.#ended;
  }

  /** @internal Looks a session up, and records its use. */
  load(key: string): MaybePromise<SessionLookup | StoreUnavailable> {
    return andThen(this.#find(key), (found) => {
      if (found instanceof SessionFault) return found;
      if (found.kind === "live") return this.#used(key, found.record);
      return found.kind === "unknown" ? NONE : found.kind === "expired" ? EXPIRED : REPLACED;
    });
  }

  /** @internal Makes a session that replaces the one under `replaces`. */
  async create(
    identity: unknown,
    data: unknown,
    replaces: string | undefined,
  ): Promise<IssuedSession | MadeFault | IamError> {
    const { store, now, absoluteMs, idleMs, maxDataBytes } = this.#options;
    const kept = keptIdentity(identity);
    const own = keptData(data, maxDataBytes);
    if (kept === undefined || own === undefined) return new SessionFault("SESSION_DATA_TOO_LARGE");
    const createdAt = now();
    const expiresAt = Math.min(createdAt + absoluteMs, kept.expiresAt ?? Number.POSITIVE_INFINITY);
    if (expiresAt <= createdAt) return IamError.expired();
    const record: SessionRecord = {
      owner: ownerOf(kept),
      identity: kept,
      data: own,
      version: 1,
      csrfSecret: this.#secret(),
      createdAt,
      expiresAt,
      idleUntil: Math.min(createdAt + idleMs, expiresAt),
    };
    const { id, key } = this.#newId();
    // A late response of the store leaves a session with an id that no client has, until it expires.
    const answer = await this.#ask(
      () => store.current.create(key, record, createdAt, replaces),
      ANSWERS.create,
    );
    this.#noteEnd(replaces !== undefined && answer !== "full");
    if (answer instanceof SessionFault) return answer;
    if (answer === "full") return new SessionFault("SESSIONS_FULL");
    return this.#issued(id, key, record);
  }

  /** @internal Gives a session a new id, and an identity of the same subject. */
  async rotate(session: Session, identity: unknown): Promise<IssuedSession | MovedFault | IamError> {
    const { store, now } = this.#options;
    const [from, record] = LoadedSession.keptOf(session, this);
    const kept = keptIdentity(identity);
    if (kept === undefined) return new SessionFault("SESSION_DATA_TOO_LARGE");
    if (ownerOf(kept) !== record.owner)
      throw new TypeError("A rotation is of one subject: log another one in by CreateSession");
    const at = now();
    if (kept.expiresAt !== undefined && kept.expiresAt <= at) return IamError.expired();
    const { id, key } = this.#newId();
    const { owner, createdAt } = record;
    const parts = { identity: kept, csrfSecret: this.#secret(), owner, createdAt };
    const moved = await this.#ask(() => store.current.rotate(from, key, parts, at), ANSWERS.rotate);
    this.#noteEnd(moved !== undefined);
    if (moved instanceof SessionFault) return moved;
    if (moved === undefined) return new SessionFault("SESSION_CONFLICT");
    return this.#issued(id, key, moved);
  }

  /** @internal Resolves to undefined once the session has ended, by any request. */
  destroy(key: string): MaybePromise<EndedFault | undefined> {
    const { store, now } = this.#options;
    return andThen(
      this.#ask(() => store.current.destroy(key, now()), ANSWERS.touch),
      (ended) => {
        this.#noteEnd(ended !== false);
        if (ended instanceof SessionFault) return ended;
        return ended ? undefined : andThen(this.#find(key), conflictIn);
      },
    );
  }

  /** @internal The same for all sessions of the session's owner. */
  destroyAllOf(key: string): MaybePromise<EndedFault | undefined> {
    return andThen(this.#find(key), (found) => {
      if (found instanceof SessionFault || found.kind !== "live") return conflictIn(found);
      return andThen(this.destroyAll(found.record.owner), (ended) =>
        ended instanceof SessionFault ? ended : undefined,
      );
    });
  }

  /** @internal */
  destroyAll(owner: string): MaybePromise<number | StoreUnavailable> {
    const { store, now } = this.#options;
    return andThen(
      this.#ask(() => store.current.destroyAll(owner, now()), ANSWERS.count),
      (ended) => {
        this.#noteEnd(ended !== 0);
        return ended;
      },
    );
  }

  /** Called after the store has responded: an identity verified until then is live, and would be cached. */
  #noteEnd(isEnded: boolean): void {
    if (isEnded) this.#ended += 1;
  }

  /** @internal */
  cleanUp(limit: number): MaybePromise<number | StoreUnavailable> {
    const { store, now } = this.#options;
    return this.#ask(() => store.current.cleanUp(limit, now()), ANSWERS.count);
  }

  #find(key: string): MaybePromise<SessionFound | StoreUnavailable> {
    const { store, now } = this.#options;
    const at = now();
    return andThen(
      this.#ask(() => store.current.find(key, at), isFound),
      (found) => {
        if (found instanceof SessionFault || found.kind !== "live") return found;
        return Math.min(endOf(found.record), found.record.idleUntil) > at ? found : EXPIRED;
      },
    );
  }

  #used(key: string, record: SessionRecord): MaybePromise<SessionLookup | StoreUnavailable> {
    const { store, now, idleMs } = this.#options;
    const at = now();
    const idleUntil = Math.min(at + idleMs, record.expiresAt);
    if (idleUntil - record.idleUntil < idleMs / IDLE_PARTS)
      return { kind: "live", session: this.#loaded(key, record) };
    return andThen(
      this.#ask(() => store.current.touch(key, idleUntil, at), ANSWERS.touch),
      (touched) => {
        if (touched instanceof SessionFault) return touched;
        // Ended or moved since the look-up: "replaced" keeps the cookie.
        if (!touched) return REPLACED;
        return { kind: "live", session: this.#loaded(key, { ...record, idleUntil }) };
      },
    );
  }

  #issued(id: string, key: string, record: SessionRecord): IssuedSession {
    const { place, now } = this.#options;
    const session = this.#loaded(key, record);
    return { session, issued: new Secret(place.issued(id, session.expiresAt - now())) };
  }

  #loaded(key: string, record: SessionRecord): LoadedSession {
    return new LoadedSession(this, key, record, this.#options.random);
  }

  #newId(): { readonly id: string; readonly key: string } {
    const id = this.#secret();
    const key = keyOfId(id);
    if (key === undefined) throw new TypeError("Sessions({ random }) answered other than 32 bytes");
    return { id, key };
  }

  #secret(): string {
    return Buffer.from(this.#options.random(32)).toString("base64url");
  }

  #ask<T>(
    call: () => MaybePromise<T>,
    isAnswer: (answer: unknown) => boolean,
  ): MaybePromise<T | StoreUnavailable> {
    return asked(call, isAnswer, this.#options.storeTimeoutMs);
  }
}

/**
 * Verifies session ids as tokens. A cache of identities, such as `cached`, drops them when this
 * process ends a session, or at its `expiresAt`. A session that another process ends, or that idles
 * too long, stays cached for the cache's own time.
 */
export class SessionVerifier implements IamVerifier {
  readonly description: string;
  declare readonly perProcess?: string;
  readonly useStores: StoresUser["useStores"];
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.description = `session: ${sessions.description}`;
    declareBy<SessionVerifier>(this, { perProcess: () => sessions.perProcess });
    this.useStores = sessions.useStores;
    this.#sessions = sessions;
  }

  get generation(): number {
    return this.#sessions.ended;
  }

  readonly verify = (token: string): MaybePromise<IamIdentity | IamError> => {
    const key = keyOfId(token);
    if (key === undefined) return UNKNOWN;
    return andThen(this.#sessions.load(key), (found) => {
      if (found instanceof SessionFault)
        return IamError.verifierUnavailable("The store of sessions failed", found.cause);
      if (found.kind === "live") return { ...found.session.identity, expiresAt: found.session.expiresAt };
      return found.kind === "expired" ? IamError.expired() : UNKNOWN;
    });
  };
}

const UNKNOWN = IamError.invalidToken("There is no session of this id");
