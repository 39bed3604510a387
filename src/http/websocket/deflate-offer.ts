// Which offers of compression are kept (RFC 7692, section 7.1). The engine agrees to each that
// names the extension, whatever it asks for, and always compresses in the same way: each
// message by itself, in a window of 15 bits.

const EXTENSION = "permessage-deflate";

/** What each parameter may say where that way is one that the client has asked for. */
const PARAMETERS: ReadonlyMap<string, (value: string | undefined) => boolean> = new Map([
  ["server_no_context_takeover", (value) => value === undefined],
  ["client_no_context_takeover", (value) => value === undefined],
  // Who asks for a smaller window could not read what is sent.
  ["server_max_window_bits", (value) => value === "15"],
  ["client_max_window_bits", (value) => value === undefined || /^(?:[89]|1[0-5])$/.test(value)],
]);

/** What the engine is to agree to of a well-formed Sec-WebSocket-Extensions; "" for nothing. */
export const keptOffer = (extensions: string): string =>
  extensions.split(",").some(isKept) ? EXTENSION : "";

function isKept(offer: string): boolean {
  const [name, ...parameters] = offer.split(";").map((part) => part.trim());
  const seen = new Set<string>();
  return (
    name === EXTENSION &&
    parameters.every((parameter) => {
      const [key = "", value] = parameter.split("=").map((part) => part.trim());
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst && PARAMETERS.get(key)?.(value?.replace(/^"(.*)"$/, "$1")) === true;
    })
  );
}
