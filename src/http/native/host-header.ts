// RFC 9110, section 7.2, and RFC 3986, section 3.2.2: a registered name, an IPv4
// address or a bracketed IPv6 address, with a port or without. No user part, no
// spaces, never empty: http URIs have a host.
const REG_NAME = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=]|%[0-9A-Fa-f]{2})+(?::\d{0,5})?$/;
const IPV6 = /^\[[0-9A-Fa-f:.]{2,45}\](?::\d{0,5})?$/;

export const isHost = (value: string): boolean =>
  value.length <= 261 && (REG_NAME.test(value) || IPV6.test(value));
