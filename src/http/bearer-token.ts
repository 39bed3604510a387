// RFC 6750, section 2.1: "Bearer", whatever its case (RFC 9110, section 11.1), spaces, the token.
const BEARER = /^bearer +(.*)$/is;

/** The token of an Authorization field; undefined for another scheme, which is no token. What cannot be one is for the boundary to refuse. */
export const bearerToken = (field: string): string | undefined => BEARER.exec(field)?.[1];
