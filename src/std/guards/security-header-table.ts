// Security headers and their values: those of the OWASP Secure Headers Project and of helmet 8,
// except those that MDN calls obsolete.

/** A header's valid values and its default. */
interface SecurityHeader {
  /** Undefined: not sent by default. */
  readonly value: string | undefined;
  readonly allows: RegExp;
  /** Description of valid values, for errors. */
  readonly remedy: string;
}

const oneOf = (value: string | undefined, ...others: readonly string[]): SecurityHeader => {
  const all = [...(value === undefined ? [] : [value]), ...others];
  return {
    value,
    allows: new RegExp(`^(?:${all.join("|").replaceAll("?", "\\?")})$`),
    remedy: all.join(", "),
  };
};

// Without a list browsers ask the user, or grant. With "()" no page and no frame can ask.
const POWERFUL = (
  "accelerometer camera display-capture geolocation gyroscope hid idle-detection magnetometer " +
  "microphone midi payment screen-wake-lock serial usb xr-spatial-tracking"
).split(" ");

const ALLOWED = String.raw`(?:\*|self|"[!#-~]+")`;
const FEATURE = String.raw`[a-z][a-z0-9-]*=(?:${ALLOWED}|\((?:${ALLOWED}(?: ${ALLOWED})*)?\))`;
const REFERRER = "no-referrer|same-origin|origin|strict-origin|(?:strict-)?origin-when-cross-origin";
const REFERRERS = `(?:${REFERRER}|no-referrer-when-downgrade|unsafe-url)`;

export const securityHeaders = {
  // A year, as OWASP and helmet recommend. Sent over https only (RFC 6797, section 7.2).
  "strict-transport-security": {
    value: "max-age=31536000; includeSubDomains",
    allows: /^max-age=\d{1,10}(?:; ?includeSubDomains)?(?:; ?preload)?$/i,
    remedy: "max-age=31536000, with ; includeSubDomains and ; preload where they apply",
  },
  // OWASP. For browsers that do not know frame-ancestors.
  "x-frame-options": oneOf("DENY", "SAMEORIGIN"),
  // OWASP, helmet: browsers must not guess another content type.
  "x-content-type-options": oneOf("nosniff"),
  // Stricter than browsers' default strict-origin-when-cross-origin. Not OWASP's no-referrer: with it
  // own forms would be sent with "Origin: null" (Fetch, section 3.2).
  "referrer-policy": {
    value: "same-origin",
    allows: new RegExp(`^${REFERRERS}(?:, ?${REFERRERS})*$`),
    remedy: "one of the policies of the Referrer Policy specification, such as no-referrer",
  },
  // OWASP's list, limited to hardware and the user's screen, payments and location.
  "permissions-policy": {
    value: POWERFUL.map((feature) => `${feature}=()`).join(", "),
    allows: new RegExp(`^${FEATURE}(?:, ?${FEATURE})*$`),
    remedy: 'features with who may use them, such as camera=(), fullscreen=(self "https://a.example")',
  },
  // OWASP, helmet: pages of other origins cannot hold a handle on a window, nor read or embed a response.
  "cross-origin-opener-policy": oneOf(
    "same-origin",
    "same-origin-allow-popups",
    "noopener-allow-popups",
    "unsafe-none",
  ),
  "cross-origin-resource-policy": oneOf("same-origin", "same-site", "cross-origin"),
  // OWASP, not helmet: blocks every image and frame of others that has not opted in.
  "cross-origin-embedder-policy": oneOf(undefined, "require-corp", "credentialless", "unsafe-none"),
  // helmet: a process for the origin, not for its whole site.
  "origin-agent-cluster": oneOf("?1", "?0"),
  // helmet: no DNS look-up of a page's links before a click.
  "x-dns-prefetch-control": oneOf("off", "on"),
  // OWASP, helmet: documents in Adobe programs load nothing from here.
  "x-permitted-cross-domain-policies": oneOf(
    "none",
    "master-only",
    "by-content-type",
    "by-ftp-filename",
    "all",
  ),
  // OWASP, helmet: the filters of old browsers could be abused to remove scripts from a page.
  "x-xss-protection": oneOf("0"),
} as const satisfies Record<string, SecurityHeader>;

export type SecurityHeaderName = keyof typeof securityHeaders;
