/** Wherever it stands in a name. */
const PART =
  /authori[sz]ation|authenticat|bearer|cookie|token|secret|pass(?:code|phrase|w)|credential|session|sessid|signature|jwt|assertion|saml(?:request|response)|[cx]srf|apikey/i;

/** As the last word of one: `api_key`, `user[pin]`, `otp[]`. */
const LAST_WORD = /(?:^|[-_.[])(?:auth|key|otp|pass|pin|pwd|sid|sig)(?:\[?\d*\])*$/i;

const WHOLE = /^(?:code|ticket)$/i;

/** `accessKey` is `access-Key`. */
const separated = (name: string): string => name.replace(/([a-z\d])([A-Z])/g, "$1-$2");

/** Whether what is called so is a secret, as far as names tell: of headers and parameters. */
export const isSecretName = (name: string): boolean =>
  PART.test(name) || WHOLE.test(name) || LAST_WORD.test(separated(name));

export const REDACTED = "[redacted]";
