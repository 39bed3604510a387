// The calls of uWebSockets.js in use: what each release of the engine is tested for. TestApp
// implements them in memory.

export type NativeText = string | Uint8Array | ArrayBuffer;

/** Invalid once the handler has returned, and an `await` is a return. */
export interface NativeRequest {
  /** Raw, without the query. */
  getUrl(): string;
  /** Raw, without "?"; undefined without one. */
  getQuery(): string | undefined;
  /** "" where the header is absent. */
  getHeader(lowerCaseName: NativeText): string;
  forEach(each: (name: string, value: string) => void): void;
}

export interface NativeResponse {
  /** 4 or 16 bytes; none on a socket of the file system. */
  getRemoteAddress(): ArrayBuffer;
  /** The source in the connection's PROXY header, whoever sent it; none without one. */
  getProxiedRemoteAddress(): ArrayBuffer;
  /** Follows "HTTP/1.1 " as it is: it may hold whole header lines. */
  writeStatus(status: NativeText): this;
  writeHeader(name: NativeText, value: NativeText): this;
  end(body?: NativeText, closeConnection?: boolean): this;
  /** Without arguments it writes no Content-Length and keeps the connection; with a length it ends it. */
  endWithoutBody(contentLength?: number, closeConnection?: boolean): this;
  /** Writes a chunk, the first with the head; false where the socket does not take it all: the engine keeps the rest. */
  write(chunk: NativeText): boolean;
  /** Returns [all was taken, the response is done]; the engine keeps nothing of the rest. */
  tryEnd(body: Uint8Array, totalSize: number): [boolean, boolean];
  getWriteOffset(): number;
  /** Called when there is room. With a handler, what the engine keeps goes out with the next write or cork alone. */
  onWritable(handler: (offset: number) => boolean): this;
  /** Called once if the connection ends before the response. */
  onAborted(handler: () => void): this;
  /** The chunk is detached when the callback returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this;
  cork(write: () => void): this;
  /** Stops reading, until a write is not taken whole. */
  pause(): this;
  resume(): this;
  close(): this;
  /** After a head that begins with 101. `context` is what the behaviour's `upgrade` was given. */
  upgrade(
    userData: NativeSocketData,
    key: string,
    protocol: string,
    extensions: string,
    context: NativeUpgrade,
  ): void;
}

/** Opaque. */
export type NativeUpgrade = object;

export interface NativeSocketData {
  readonly connection: unknown;
}

/** Every call throws once the behaviour's `close` was called. */
export interface NativeWebSocket extends NativeSocketData {
  /** 1: sent; 0: it waits for the peer; 2: dropped, because too much waits. */
  send(message: NativeText, isBinary: boolean, compress: boolean): number;
  /** To the topic's other subscribers of this app. Returns whether there is one. */
  publish(topic: string, message: NativeText, isBinary: boolean, compress: boolean): boolean;
  subscribe(topic: string): boolean;
  unsubscribe(topic: string): boolean;
  isSubscribed(topic: string): boolean;
  getTopics(): string[];
  /** What the kernel has not taken; without what is corked. */
  getBufferedAmount(): number;
  /**
   * Calls the behaviour's `close` before it returns. Loses its frame and what is buffered above
   * `maxBackpressure`; in the turn of the behaviour's `open` it sends FIN too early, or none.
   */
  end(code: number, reason: string): void;
  /** Without a close frame; calls `close` too. */
  close(): void;
}

export interface NativeWebSocketBehavior {
  readonly maxPayloadLength: number;
  /** Seconds: 0, or 8 to 960. The engine ends the process for others. */
  readonly idleTimeout: number;
  readonly sendPingsAutomatically: boolean;
  readonly maxBackpressure: number;
  readonly closeOnBackpressureLimit: boolean;
  /** One of the engine's compressors, or 0. */
  readonly compression: number;
  readonly upgrade: (response: NativeResponse, request: NativeUpgradeRequest, context: NativeUpgrade) => void;
  readonly open: (socket: NativeWebSocket) => void;
  /** The message is detached when this returns. */
  readonly message: (socket: NativeWebSocket, message: ArrayBuffer, isBinary: boolean) => void;
  /** The kernel has taken some of what was buffered. */
  readonly drain: (socket: NativeWebSocket) => void;
  readonly close: (socket: NativeWebSocket, code: number, reason: ArrayBuffer) => void;
}

interface NativeMethodRequest extends NativeRequest {
  getCaseSensitiveMethod(): string;
}

interface NativeUpgradeRequest extends NativeRequest {
  /** Leaves the request to the next matching pattern. */
  setYield(yields: true): void;
}

type NativeHandler = (response: NativeResponse, request: NativeMethodRequest) => void;

/** A listening socket; opaque. */
export type NativeSocket = object;

export interface NativeApp {
  get(pattern: "/*", handler: NativeHandler): this;
  head(pattern: "/*", handler: NativeHandler): this;
  post(pattern: "/*", handler: NativeHandler): this;
  put(pattern: "/*", handler: NativeHandler): this;
  patch(pattern: "/*", handler: NativeHandler): this;
  del(pattern: "/*", handler: NativeHandler): this;
  options(pattern: "/*", handler: NativeHandler): this;
  /** Requests that no other pattern takes; methods are case-sensitive. */
  any(pattern: "/*", handler: NativeHandler): this;
  /** Asked first of a GET whose Sec-WebSocket-Key has 24 characters. A leading star matches every path. */
  ws(pattern: `/*${number}`, behavior: NativeWebSocketBehavior): this;
  publish(topic: string, message: NativeText, isBinary: boolean, compress: boolean): boolean;
  /** Called as a connection begins (1) and ends (-1), but not at the end of one that was upgraded. */
  filter(each: (response: NativeResponse, change: number) => void): this;
  listen(host: string, port: number, options: number, done: (socket: NativeSocket | false) => void): this;
  listen_unix(done: (socket: NativeSocket | false) => void, path: string): this;
  /** Closes listeners and connections. */
  close(): this;
}

/** The engine reads the files when the app is made. */
export interface NativeTls {
  readonly cert_file_name: string;
  readonly key_file_name: string;
  readonly passphrase?: string;
  /** Of TLS 1.2, in OpenSSL's names; those of 1.3 are fixed. */
  readonly ssl_ciphers: string;
}

interface NativeTlsApp extends NativeApp {
  /** A certificate for SNI. The engine ignores files that it cannot read. */
  addServerName(name: string, options: NativeTls): this;
  /** Attaches routes to that name. Writes two lines to stdout. */
  domain(name: string): this;
}

export interface NativeServer {
  App(): NativeApp;
  /** Throws without a reason where it cannot use the files. */
  SSLApp(options: NativeTls): NativeTlsApp;
  us_listen_socket_close(socket: NativeSocket): void;
  us_socket_local_port(socket: NativeSocket): number;
  _cfg(option: "silent"): void;
  readonly SHARED_COMPRESSOR: number;
}

/** ASCII text as an ArrayBuffer, which the engine takes fastest (7 % of a pipelined request for four names). */
export function nativeText(text: string): ArrayBuffer {
  const bytes = new Uint8Array(new ArrayBuffer(text.length));
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
