// The calls of uWebSockets.js that this package uses. Each release of the engine is tested for them.
// TestApp implements them in memory.

export type NativeText = string | Uint8Array | ArrayBuffer;

/** Invalid after the handler returned. An `await` is a return. */
export interface NativeRequest {
  /** The raw path, without the query. */
  getUrl(): string;
  /** The raw query without "?"; undefined without a "?". */
  getQuery(): string | undefined;
  /** "" if the header is absent. */
  getHeader(lowerCaseName: NativeText): string;
  forEach(each: (name: string, value: string) => void): void;
}

export interface NativeResponse {
  /** 4 or 16 bytes; empty on a Unix socket. */
  getRemoteAddress(): ArrayBuffer;
  /** Source address of the connection's PROXY header, not verified; empty without a header. */
  getProxiedRemoteAddress(): ArrayBuffer;
  /** Written verbatim after "HTTP/1.1 ": it may hold whole header lines. */
  writeStatus(status: NativeText): this;
  writeHeader(name: NativeText, value: NativeText): this;
  end(body?: NativeText, closeConnection?: boolean): this;
  /** Without arguments it writes no Content-Length and keeps the connection. With a length it closes the connection. */
  endWithoutBody(contentLength?: number, closeConnection?: boolean): this;
  /** Writes a chunk, the first one with the head. Returns false if the engine had to buffer a rest. */
  write(chunk: NativeText): boolean;
  /** Returns [all bytes were written, the response is done]. The engine does not buffer the rest. */
  tryEnd(body: Uint8Array, totalSize: number): [boolean, boolean];
  getWriteOffset(): number;
  /** Called when the socket is writable. With a handler, the engine flushes its buffer at the next write or cork only. */
  onWritable(handler: (offset: number) => boolean): this;
  /** Called once if the connection ends before the response. */
  onAborted(handler: () => void): this;
  /** The chunk is detached when the callback returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this;
  cork(write: () => void): this;
  /** Stops reading. A partial write makes the engine read again. */
  pause(): this;
  resume(): this;
  close(): this;
  /** Call it after a head that begins with 101. `context` comes from the behaviour's `upgrade`. */
  upgrade(
    userData: NativeSocketData,
    key: string,
    protocol: string,
    extensions: string,
    context: NativeUpgrade,
  ): void;
}

/** Context of an upgrade; opaque. */
export type NativeUpgrade = object;

export interface NativeSocketData {
  readonly connection: unknown;
}

/** Every method throws after the behaviour's `close` was called. */
export interface NativeWebSocket extends NativeSocketData {
  /** 1: sent; 0: buffered; 2: dropped, because the buffer is full. */
  send(message: NativeText, isBinary: boolean, compress: boolean): number;
  /** Sends to the other subscribers of the topic in this app. Returns true if one exists. */
  publish(topic: string, message: NativeText, isBinary: boolean, compress: boolean): boolean;
  subscribe(topic: string): boolean;
  unsubscribe(topic: string): boolean;
  isSubscribed(topic: string): boolean;
  getTopics(): string[];
  /** Bytes that the kernel has not accepted, without corked bytes. */
  getBufferedAmount(): number;
  /**
   * Calls the behaviour's `close` before it returns. Above `maxBackpressure` it drops its frame and
   * the buffer. In the turn of the behaviour's `open` it sends FIN too early, or not at all.
   */
  end(code: number, reason: string): void;
  /** Closes without a close frame. Calls the behaviour's `close` too. */
  close(): void;
}

export interface NativeWebSocketBehavior {
  readonly maxPayloadLength: number;
  /** Seconds: 0, or 8 to 960. The engine exits the process for other values. */
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
  /** Called when the kernel accepted buffered bytes. */
  readonly drain: (socket: NativeWebSocket) => void;
  readonly close: (socket: NativeWebSocket, code: number, reason: ArrayBuffer) => void;
}

interface NativeMethodRequest extends NativeRequest {
  getCaseSensitiveMethod(): string;
}

interface NativeUpgradeRequest extends NativeRequest {
  /** Passes the request to the next matching pattern. */
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
  /** Handles requests that no other pattern matches. Methods are case-sensitive. */
  any(pattern: "/*", handler: NativeHandler): this;
  /** Matched first, for a GET whose Sec-WebSocket-Key has 24 characters. A leading star matches every path. */
  ws(pattern: `/*${number}`, behavior: NativeWebSocketBehavior): this;
  publish(topic: string, message: NativeText, isBinary: boolean, compress: boolean): boolean;
  /** Called at the start (1) and the end (-1) of a connection, but not at the end of an upgraded one. */
  filter(each: (response: NativeResponse, change: number) => void): this;
  listen(host: string, port: number, options: number, done: (socket: NativeSocket | false) => void): this;
  listen_unix(done: (socket: NativeSocket | false) => void, path: string): this;
  /** Closes listeners and connections. */
  close(): this;
}

/** The engine reads the files when the app is created. */
export interface NativeTls {
  readonly cert_file_name: string;
  readonly key_file_name: string;
  readonly passphrase?: string;
  /** Ciphers of TLS 1.2, in OpenSSL names. Those of TLS 1.3 are fixed. */
  readonly ssl_ciphers: string;
}

interface NativeTlsApp extends NativeApp {
  /** Adds a certificate for SNI. The engine ignores files that it cannot read. */
  addServerName(name: string, options: NativeTls): this;
  /** Selects the name for the routes added next. Writes two lines to stdout. */
  domain(name: string): this;
}

export interface NativeServer {
  App(): NativeApp;
  /** Throws without a reason if it cannot use the files. */
  SSLApp(options: NativeTls): NativeTlsApp;
  us_listen_socket_close(socket: NativeSocket): void;
  us_socket_local_port(socket: NativeSocket): number;
  _cfg(option: "silent"): void;
  readonly SHARED_COMPRESSOR: number;
}

/** ASCII text as an ArrayBuffer, the fastest argument for the engine: saves 7 % of a pipelined request for four names. */
export function nativeText(text: string): ArrayBuffer {
  const bytes = new Uint8Array(new ArrayBuffer(text.length));
  for (let i = 0; i < text.length; i += 1) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}
