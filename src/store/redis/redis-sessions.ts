// Sessions in Redis: a hash for each, and for each owner a generation with the set of its sessions. They
// are of different slots: a call is two scripts, of which the second compares generations.
//
//   RZ1. A session is in the set of its owner before it is put: destroyAll and an erasure find it.
//   RZ2. destroyAll ends the generation first: from then on no session of it is live, whatever fails later.
//   RZ3. A session that destroyAll found in the set, and that is put afterwards, is of the next generation.
//   RZ4. A rotation changes the key within the hash of the session: it is live under one key at any time.
//   RZ5. Keys outlive their sessions by a margin. Those of an owner outlive all of its sessions.

import { randomUUID } from "node:crypto";

import type { IamIdentity } from "#core/iam/iam-identity.js";
import type { Codec, EncodedText } from "#core/ports/codec.js";
import {
  REPLACED_MS,
  type SessionData,
  type SessionFound,
  type SessionOrigin,
  type SessionRecord,
  type SessionStore,
} from "#core/ports/session-store.js";
import { sessionPlace, subjectColumn, subjectForms, subjectHash } from "../sql/places.js";
import { openedOnce } from "./opened-codec.js";
import type { RedisConnection, RedisScript, RedisValue } from "./redis-connection.js";
import * as scripts from "./session-scripts.js";

/** Sessions that are ended at once. */
const BATCH = 100;

/** Keys that a server looks at in one call. */
const SCANNED = 1000;

/** Of a script of a session. */
type Answer = readonly [kind: string, owner: string, generation: string, fields: readonly string[]];
/** The owner in its form, and what a record is made of. */
type Fields = readonly [form: string, fields: readonly string[]];
/** `root` is the first key of the session. */
type At = { readonly root: string; readonly answer: Answer };

export class RedisSessions implements SessionStore {
  readonly #connection: RedisConnection;
  readonly #codec: Codec;
  readonly #opened: () => Promise<void>;

  constructor(connection: RedisConnection, codec: Codec) {
    this.#connection = connection;
    this.#codec = codec;
    this.#opened = openedOnce(codec);
  }

  readonly create = async (
    key: string,
    record: SessionRecord,
    now: number,
    replaces?: string,
  ): Promise<"created"> => {
    await this.#opened();
    const { expiresAt, createdAt, version } = record;
    const owner = subjectColumn(this.#codec, record.owner);
    const until = Math.min(record.idleUntil, expiresAt);
    const login = this.#encoded("login", loginOf(record), record);
    const data = this.#encoded("data", record.data, record);
    const fields: readonly RedisValue[] = [
      ...["k", key, "o", owner, "i", until, "x", expiresAt, "c", createdAt, "v", version],
      ...["l", login.text, "lk", login.keyId ?? "", "d", data.text, "dk", data.keyId ?? ""],
    ];
    const ttl = ttlOf(until, now);
    let ended: string | undefined;
    for (;;) {
      const entered = [key, expiresAt, now - scripts.MARGIN_MS, ttlOf(expiresAt, now), randomUUID()];
      const generation = (await this.#ofOwner(scripts.ENTER, owner, entered)) as string;
      // A failover lost its end: it is ended again.
      if (generation === ended) await this.#ofOwner(scripts.TAKE, owner, []);
      else if ((await this.#put(key, [generation, ttl, ...fields])) === 1) break;
      ended = generation;
    }
    // Last: the client learns of the new session when both are done.
    if (replaces !== undefined) await this.#at(scripts.REPLACE, replaces, [now, now + REPLACED_MS]);
    return "created";
  };

  readonly find = async (key: string, now: number): Promise<SessionFound> => {
    await this.#opened();
    const { answer } = await this.#at(scripts.FIND, key, [now]);
    if (answer[0] === "replaced") return { kind: "replaced" };
    if (answer[0] !== "live" || !(await this.#isCurrent(answer))) return { kind: "unknown" };
    return { kind: "live", record: await this.#recordIn(answer[1], answer[3]) };
  };

  readonly touch: SessionStore["touch"] = async (key, idleUntil, now) => {
    const { answer } = await this.#at(scripts.TOUCH, key, [now, idleUntil]);
    return answer[0] === "live" && this.#isCurrent(answer);
  };

  readonly update: SessionStore["update"] = async (key, version, data, now, of) => {
    await this.#opened();
    const { text, keyId } = this.#encoded("data", data, of);
    const { answer } = await this.#at(scripts.UPDATE, key, [now, version, text, keyId ?? ""]);
    const [kind] = answer;
    if (kind !== "updated" && kind !== "changed") return "gone";
    return (await this.#isCurrent(answer)) ? kind : "gone";
  };

  readonly rotate: SessionStore["rotate"] = async (key, to, parts, now) => {
    await this.#opened();
    const found = await this.#at(scripts.FIND, key, [now]);
    if (found.answer[0] !== "live" || !(await this.#isCurrent(found.answer))) return undefined;
    const [, expiresAt] = found.answer[3];
    await this.#ofSession(scripts.POINT, to, [found.root, ttlOf(Number(expiresAt), now)]);
    const { text, keyId } = this.#encoded("login", loginOf(parts), parts);
    const args = [now, to, text, keyId ?? "", now + REPLACED_MS];
    const { root, answer } = await this.#at(scripts.ROTATE, key, args);
    const isMoved = answer[0] === "live" && (await this.#isCurrent(answer));
    // A key of which this fails stays until the session's end, and does no harm.
    const known = [root, REPLACED_MS + scripts.MARGIN_MS];
    if (!isMoved) await this.#ofSession(scripts.UNPOINT, to, []).catch(() => {});
    else if (key !== root) await this.#ofSession(scripts.POINT, key, known).catch(() => {});
    return isMoved ? this.#recordIn(answer[1], answer[3]) : undefined;
  };

  readonly destroy: SessionStore["destroy"] = async (key, now) => {
    const { root, answer } = await this.#at(scripts.DESTROY, key, [now]);
    const [kind, owner, generation] = answer;
    if (owner === undefined) return false;
    return (await this.#ofOwner(scripts.LEAVE, owner, [root])) === generation && kind === "live";
  };

  readonly destroyAll: SessionStore["destroyAll"] = async (owner, now) => (await this.end(owner, now)).live;

  /** Redis removes the keys of sessions. */
  readonly cleanUp: SessionStore["cleanUp"] = () => 0;

  /** As `destroyAll`. `ended` is the number of all that were there. */
  async end(owner: string, now: number): Promise<{ readonly live: number; readonly ended: number }> {
    await this.#opened();
    const forms = subjectForms(this.#codec, owner);
    const states = (await Promise.all(forms.map((form) => this.#endForm(form, now)))).flat();
    return {
      live: states.filter((state) => state === 2).length,
      ended: states.filter((state) => state > 0).length,
    };
  }

  /** Number of the owner's sessions, live or not. */
  async count(owner: string): Promise<number> {
    let found = 0;
    for await (const _ of this.#fieldsOf(owner)) found += 1;
    return found;
  }

  /** The owner's sessions, live or not. */
  async *of(owner: string): AsyncGenerator<SessionRecord> {
    for await (const fields of this.#fieldsOf(owner)) yield this.#recordIn(...fields);
  }

  /** Sessions of all owners, live or not, that can be read. The servers look at each of their keys. */
  async *all(): AsyncGenerator<SessionRecord> {
    await this.#opened();
    const client = await this.#connection.connect();
    try {
      const [before, after] = this.#connection.keyOf("session", "*").split("*") as [string, string];
      for (const master of "nodes" in client ? client.nodes("master") : [client]) {
        let cursor = "0";
        do {
          const page = await master.scan(cursor, "MATCH", `${before}*${after}`, "COUNT", SCANNED);
          for (const key of page[1]) {
            const fields = await this.#read(key.slice(before.length, -after.length));
            const record = fields && (await this.#recordIn(...fields).catch(() => undefined));
            if (record !== undefined) yield record;
          }
          [cursor] = page;
        } while (cursor !== "0");
      }
    } finally {
      client.disconnect();
    }
  }

  async *#fieldsOf(owner: string): AsyncGenerator<Fields> {
    await this.#opened();
    for (const form of subjectForms(this.#codec, owner))
      for (const key of (await this.#list(form)) as readonly string[]) {
        const fields = await this.#read(key);
        if (fields !== undefined) yield fields;
      }
  }

  async #read(key: string): Promise<Fields | undefined> {
    const [form, ...fields] = (await this.#ofSession(scripts.READ, key, [])) as readonly (string | null)[];
    return typeof form === "string" ? [form, fields as readonly string[]] : undefined;
  }

  async #endForm(form: string, now: number): Promise<readonly number[]> {
    const taken = (await this.#ofOwner(scripts.TAKE, form, [])) as [string, readonly string[]];
    const [generation, keys] = taken;
    const states: number[] = [];
    for (let at = 0; at < keys.length; at += BATCH) {
      const batch = keys.slice(at, at + BATCH);
      const ended = await Promise.all(
        batch.map((key) => this.#ofSession(scripts.END, key, [generation, now]) as Promise<number>),
      );
      // One that was not there may be about to be put.
      const gone = batch.filter((_, n) => ended[n] !== 0);
      await this.#ofOwner(scripts.LEAVE, form, gone);
      states.push(...ended);
    }
    return states;
  }

  /** Calls the script where the session of this key is. */
  async #at(script: RedisScript, key: string, args: readonly RedisValue[]): Promise<At> {
    const answer = (await this.#ofSession(script, key, [key, ...args])) as Answer;
    if (answer[0] !== "at") return { root: key, answer };
    const [, root] = answer;
    return { root, answer: (await this.#ofSession(script, root, [key, ...args])) as Answer };
  }

  async #isCurrent([, owner, generation]: Answer): Promise<boolean> {
    return (await this.#ofOwner(scripts.LEAVE, owner, [])) === generation;
  }

  #put(key: string, args: readonly RedisValue[]): Promise<unknown> {
    return this.#ofSession(scripts.PUT, key, args);
  }

  #ofSession(script: RedisScript, key: string, args: readonly RedisValue[]): Promise<unknown> {
    return this.#connection.call("sessions", script, [this.#connection.keyOf("session", key)], args);
  }

  #ofOwner(script: RedisScript, form: string, args: readonly RedisValue[]): Promise<unknown> {
    const { keyOf, call } = this.#connection;
    return call("sessions", script, [keyOf("owner", form), keyOf("owner", form, ":all")], args);
  }

  #list(form: string): Promise<unknown> {
    const { keyOf, call } = this.#connection;
    return call("sessions", scripts.LIST, [keyOf("owner", form, ":all")], []);
  }

  #encoded(field: "login" | "data", value: unknown, { owner, createdAt }: SessionOrigin): EncodedText {
    return this.#codec.encode(JSON.stringify(value), sessionPlace(field, owner, createdAt));
  }

  async #recordIn(form: string, fields: readonly string[]): Promise<SessionRecord> {
    const [createdAt, expiresAt, idleUntil, version, login, loginKey, data, dataKey] = fields as [
      ...[string, string, string, string],
      ...[string, string, string, string],
    ];
    const owner = await subjectHash(this.#codec, form);
    const decoded = async (field: "login" | "data", text: string, keyId: string): Promise<unknown> => {
      const place = sessionPlace(field, owner, Number(createdAt));
      return JSON.parse(await this.#codec.decode(text, keyId || null, place));
    };
    const { identity, csrfSecret } = (await decoded("login", login, loginKey)) as {
      identity: IamIdentity;
      csrfSecret: string;
    };
    return {
      ...{ owner, identity, data: (await decoded("data", data, dataKey)) as SessionData },
      ...{ version: Number(version), csrfSecret, createdAt: Number(createdAt) },
      ...{ expiresAt: Number(expiresAt), idleUntil: Number(idleUntil) },
    };
  }
}

/** Without the owner and the time, which are fields of their own. */
const loginOf = ({ identity, csrfSecret }: Pick<SessionRecord, "identity" | "csrfSecret">) => ({
  ...{ identity, csrfSecret },
});

const ttlOf = (until: number, now: number): number => Math.ceil(until - now) + scripts.MARGIN_MS;
