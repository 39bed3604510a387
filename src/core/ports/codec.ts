// The port through which stores pass the texts of an application: values of runs, letters, sessions,
// responses.

import type { MaybePromise } from "../bus/outcome-types.js";
import { FrameworkError } from "../errors.js";

/** Where a text is kept, by what never changes in its row. */
export interface Place {
  readonly table: string;
  readonly field: string;
  readonly row: string;
}

export interface EncodedText {
  readonly text: string;
  /** Null for a text as it was. */
  readonly keyId: string | null;
}

/** Without one texts are kept as they are, and the column `key_id` is empty. */
export interface Codec {
  /** Called and awaited before the first text. */
  readonly open?: () => MaybePromise<void>;
  readonly encode: (text: string, place: Place) => EncodedText;
  /** Throws or rejects if the text cannot be read. `keyId` is null for a text that was kept as it was. */
  readonly decode: (text: string, keyId: string | null, place: Place) => MaybePromise<string>;
  /** Set by one that encrypts: the record of processing says so of its stores. */
  readonly encrypts?: true;
  /** Read once it is open. Without it rows have the plain hash of their subject. */
  readonly keys?: CodecKeys;
}

export interface CodecKeys {
  /** Id of the key under which texts are encoded now. */
  readonly current: string;
  /** Ids of all keys. */
  readonly ids: readonly string[];
  /** The hash of a subject as a row has it. Equal hashes give equal texts under one key. */
  readonly subject: (hash: string) => string;
  /** Every form in which rows may have it: plain, and under each key. */
  readonly subjects: (hash: string) => readonly string[];
  /** The hash of a form. */
  readonly hashOf: (subject: string) => MaybePromise<string>;
}

export const plainCodec: Codec = {
  encode: (text) => ({ text, keyId: null }),
  decode(text, keyId, { table, field }) {
    if (keyId === null) return text;
    throw new FrameworkError(
      "ENCRYPTION_KEY_UNKNOWN",
      `${table}.${field}: it is encrypted under key '${keyId}', and this process has no keys: set persistence.encryption_keys, or give openStores the codec of its writers`,
    );
  },
};
