// The headers that a careful operator sends with every answer, with their values: those of
// the OWASP Secure Headers Project and of helmet 8, as far as MDN does not call them obsolete.

/** What a header may say, and what it says where nobody says otherwise. */
interface SecurityHeader {
  /** Undefined: it is not sent. */
  readonly value: string | undefined;
  readonly allows: RegExp;
  /** What would be right, for who gives something else. */
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

// Without a list browsers ask the user, or grant; with "()" no page and no frame can ask.
const POWERFUL = (
  "accelerometer camera display-capture geolocation gyroscope hid idle-detection magnetometer " +
  "microphone midi payment screen-wake-lock serial usb xr-spatial-tracking"
).split(" ");

const ALLOWED = String.raw`(?:\*|self|"[!#-~]+")`;
const FEATURE = String.raw`[a-z][a-z0-9-]*=(?:${ALLOWED}|\((?:${ALLOWED}(?: ${ALLOWED})*)?\))`;
const REFERRER = "no-referrer|same-origin|origin|strict-origin|(?:strict-)?origin-when-cross-origin";
const REFERRERS = `(?:${REFERRER}|no-referrer-when-downgrade|unsafe-url)`;

export const securityHeaders = {
  // A year, as OWASP and helmet say. Sent over https alone (RFC 6797, section 7.2).
  "strict-transport-security": {
    value: "max-age=31536000; includeSubDomains",
    allows: /^max-age=\d{1,10}(?:; ?includeSubDomains)?(?:; ?preload)?$/i,
    remedy: "max-age=31536000, with ; includeSubDomains and ; preload where they apply",
  },
  // OWASP. For browsers that do not know frame-ancestors.
  "x-frame-options": oneOf("DENY", "SAMEORIGIN"),
  // OWASP, helmet: what an upload says it is, it is.
  "x-content-type-options": oneOf("nosniff"),
  // Stricter than browsers' own strict-origin-when-cross-origin. Not OWASP's no-referrer: a
  // form of the own pages would then be sent with "Origin: null" (Fetch, section 3.2).
  "referrer-policy": {
    value: "same-origin",
    allows: new RegExp(`^${REFERRERS}(?:, ?${REFERRERS})*$`),
    remedy: "one of the policies of the Referrer Policy specification, such as no-referrer",
  },
  // OWASP's list as far as hardware and the user's screen, place and money are concerned.
  "permissions-policy": {
    value: POWERFUL.map((feature) => `${feature}=()`).join(", "),
    allows: new RegExp(`^${FEATURE}(?:, ?${FEATURE})*$`),
    remedy: 'features with who may use them, such as camera=(), fullscreen=(self "https://a.example")',
  },
  // OWASP, helmet: pages of other origins hold no handle on a window, nor read or embed an answer.
  "cross-origin-opener-policy": oneOf(
    "same-origin",
    "same-origin-allow-popups",
    "noopener-allow-popups",
    "unsafe-none",
  ),
  "cross-origin-resource-policy": oneOf("same-origin", "same-site", "cross-origin"),
  // OWASP, not helmet: it keeps out every image and frame of others that has not opted in.
  "cross-origin-embedder-policy": oneOf(undefined, "require-corp", "credentialless", "unsafe-none"),
  // helmet: a process for the origin alone, not for all of its site.
  "origin-agent-cluster": oneOf("?1", "?0"),
  // helmet: the names of a page's links are not looked up before somebody follows them.
  "x-dns-prefetch-control": oneOf("off", "on"),
  // OWASP, helmet: documents of Adobe's programs load nothing from here.
  "x-permitted-cross-domain-policies": oneOf(
    "none",
    "master-only",
    "by-content-type",
    "by-ftp-filename",
    "all",
  ),
  // OWASP, helmet: old browsers' filters could be used to cut scripts out of a page.
  "x-xss-protection": oneOf("0"),
} as const satisfies Record<string, SecurityHeader>;

export type SecurityHeaderName = keyof typeof securityHeaders;
