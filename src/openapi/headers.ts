const KNOWN: Readonly<Record<string, string>> = {
  "accept-ranges": "That ranges of bytes may be asked for.",
  "content-range": "Which bytes these are, and of how many.",
  etag: "Names this state, for If-Match and If-None-Match.",
  "idempotent-replayed": "That this is the response of an earlier request with the same key.",
  "last-modified": "When this state was made.",
  location: "Where to ask next.",
  ratelimit: "What is left of the limit, and when it is whole again (draft-ietf-httpapi-ratelimit-headers).",
  "ratelimit-policy": "The limit and its window.",
  "retry-after": "Seconds until a request may succeed.",
  "set-cookie": "A cookie for the client to keep.",
  "www-authenticate": "Which credential is wanted (RFC 6750).",
  "x-request-id": "Names the request in the log of the server.",
};

export const headerReference = (name: string) => ({ $ref: `#/components/headers/${name}` });

export const headerComponents = (names: readonly string[]): Readonly<Record<string, object>> =>
  Object.fromEntries(
    [...names].sort().map((name) => {
      const description = KNOWN[name];
      return [name, { ...(description !== undefined && { description }), schema: { type: "string" } }];
    }),
  );
