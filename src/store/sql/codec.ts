/**
 * Through which each text passes that a store keeps of an application's values: logs, letters,
 * sessions, answers. Without one texts are kept as they are; the column `key_id` is empty.
 */
export interface Codec {
  readonly encode: (text: string) => { readonly text: string; readonly keyId: string | null };
  /** Throws where the text cannot be read any more. */
  readonly decode: (text: string, keyId: string | null) => string;
}

export const plainCodec: Codec = {
  encode: (text) => ({ text, keyId: null }),
  decode: (text) => text,
};
