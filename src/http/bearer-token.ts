// RFC 6750, section 2.1: "Bearer", whatever its case (RFC 9110, section 11.1), spaces, the token.
const BEARER = /^bearer +(.*)$/is;
/** As nearly all write it, which is read in half the time. */
const USUAL = "Bearer ";

/** The token of an Authorization field; undefined for another scheme, which is no token. What cannot be one is for the boundary to refuse. */
export const bearerToken = (field: string): string | undefined =>
  field.startsWith(USUAL) && field[USUAL.length] !== " "
    ? field.slice(USUAL.length)
    : BEARER.exec(field)?.[1];
