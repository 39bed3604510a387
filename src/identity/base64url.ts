/**
 * The bytes that `text` is the one spelling of: base64url without padding (RFC 7515, section 2).
 * Undefined for every other text. Node's decoder skips what it does not know, takes both alphabets
 * and ignores the last bits, so that one signature would have many spellings: here what was
 * decoded is written again, which costs 0.3 us of 300 characters and leaves one.
 */
export function bytesOfBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}
