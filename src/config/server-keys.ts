import { isIP } from "node:net";

import { MAX_BODY_LIMIT, MAX_ROUTE_TIMEOUT_MS } from "#core/flow/guard.js";
import { isLoopback } from "#core/net/loopback.js";
import { isSocketPath, MAX_SOCKET_PATH_BYTES } from "#core/net/socket-path.js";
import { bodyMemoryFor } from "#core/ports/body-memory.js";
import { flag, list, name, oneOf, passphrase, text, whole, wholeOr } from "./key.js";

const HOST_RULE = /^(?:(?:\*\.)?[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

const HOST_OR_SOCKET = `an address or a host name, without a port, or unix: and a path of up to ${MAX_SOCKET_PATH_BYTES} bytes`;

export const server = {
  host: name(HOST_OR_SOCKET, isHostOrSocket, {
    default: "127.0.0.1",
    doc: "The address to listen on: 0.0.0.0 for every network, `unix:/run/app.sock` for a socket in the file system.",
  }),
  port: whole(0, 65_535, {
    default: 3000,
    doc: "The port to listen on; 0 takes one that is free.",
  }),
  workers: wholeOr("auto", 1, 256, {
    default: 1,
    doc: "Processes that share the port; auto: one for each core.",
  }),
  trustedProxies: list("addresses and ranges such as 10.0.0.0/8", isRange, {
    default: [],
    doc: "Who may name the client in X-Forwarded-For, Forwarded or the PROXY header.",
  }),
  forwardedHeader: oneOf(["x-forwarded-for", "forwarded"], {
    default: "x-forwarded-for",
    doc: "Where trusted proxies name the client; the other header is not read.",
  }),
  allowedHosts: list("host names such as example.org or *.example.org", (item) => HOST_RULE.test(item), {
    default: [],
    doc: "The Host headers that are answered; an empty list answers any.",
  }),
  proxyProtocol: oneOf(["off", "v2"], {
    default: "off",
    doc: "v2: trusted proxies begin each connection with a PROXY header; not with tls.enabled.",
  }),
  bodyLimitBytes: whole(0, MAX_BODY_LIMIT, {
    default: 1_048_576,
    doc: "The longest body of a request; a route can set its own.",
  }),
  headLimitBytes: whole(1024, 1_048_576, {
    default: 16_384,
    doc: "The longest head of a request. One value for the whole process.",
  }),
  targetLimitBytes: whole(64, 1_048_576, {
    default: 8192,
    doc: "The longest path with its query.",
  }),
  bodyTimeoutMs: whole(1, 10_000, {
    default: 7500,
    doc: "How long a body may take to arrive. The engine itself cuts one that brings nothing for 8 to 12 s, unanswered.",
  }),
  routeTimeoutMs: whole(1, MAX_ROUTE_TIMEOUT_MS, {
    default: 30_000,
    doc: "How long an answer may take.",
  }),
  maxConnections: whole(1, 1_000_000, {
    default: 10_000,
    doc: "Connections at once; a newcomer above it is closed.",
  }),
  maxInFlight: whole(1, 1_000_000, {
    default: 1024,
    doc: "Requests at once in each worker; the next one is answered 503.",
  }),
  maxBodyBytesInFlight: whole(1, MAX_BODY_LIMIT, {
    default: {
      from: (rest) => bodyMemoryFor(rest.value("server.workers") as number | "auto"),
      words: "about a quarter of the memory that the process may use",
    },
    example: 33_554_432,
    doc: "Bytes of bodies in the memory of each worker; the next body is answered 503 with Retry-After.",
  }),
  shutdownTimeoutSecs: whole(0, 3600, {
    default: 30,
    doc: "How long stopping may take before what is left is cut.",
  }),
  shutdownDelaySecs: whole(0, 600, {
    default: {
      from: (rest) =>
        isLoopback(String(rest.value("server.host")))
          ? 0
          : Math.min(5, Number(rest.value("server.shutdown_timeout_secs")) / 2),
      words: "5, or 0 on loopback",
    },
    example: 5,
    doc: "How long service goes on, not ready any more, before the listener closes.",
  }),
  drainIdleSecs: whole(0, 600, {
    default: { from: (rest) => (rest.production ? 12 : 0), words: "12, or 0 outside production" },
    example: 12,
    doc: "How long idle connections are waited for once no answer is left.",
  }),
  processGuards: flag({
    default: true,
    doc: "Report rejections that nobody handles; drain and exit after an uncaught exception.",
  }),
};

export const tls = {
  enabled: flag({
    default: false,
    doc: "Serve HTTPS; needs cert_path and key_path. false serves plain HTTP, whatever the program says.",
  }),
  certPath: text({
    default: "",
    doc: "The file with the certificate and its chain, in PEM, relative to the working directory.",
  }),
  keyPath: text({
    default: "",
    doc: "The file with the private key, in PEM, relative to the working directory.",
  }),
  passphrase: passphrase({
    default: undefined,
    example: "",
    doc: "Opens the private key, where it is encrypted.",
  }),
  minVersion: oneOf(["1.2", "1.3"], {
    default: "1.2",
    doc: "The oldest TLS to accept. The native server cannot refuse 1.2: for 1.3 alone put a proxy in front.",
  }),
};

export const isHost = (host: string): boolean =>
  isIP(host) !== 0 || /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(host);

const SOCKET = "unix:";

function isHostOrSocket(host: string): boolean {
  return host.startsWith(SOCKET) ? isSocketPath(host.slice(SOCKET.length)) : isHost(host);
}

function isRange(item: string): boolean {
  const [, address, bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(item) ?? [];
  const family = isIP(address ?? "");
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}
