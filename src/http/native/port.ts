// The calls of uWebSockets.js that are used, and no others: what stands here is
// what a release of the engine is tested for. Tests and TestApp implement it in memory.

export type NativeText = string | Uint8Array | ArrayBuffer;

/** Gone when the handler returns, and an `await` is a return. */
export interface NativeRequest {
  /** As it was sent. */
  getCaseSensitiveMethod(): string;
  /** The raw path, without the query. */
  getUrl(): string;
  /** The raw query without its "?", undefined where the target has none. */
  getQuery(): string | undefined;
  /** "" where the header is absent. */
  getHeader(lowerCaseName: NativeText): string;
  forEach(each: (name: string, value: string) => void): void;
}

export interface NativeResponse {
  /** The peer's address: 4 or 16 bytes, none on a socket of the file system. */
  getRemoteAddress(): ArrayBuffer;
  /** The source in the connection's PROXY header, whoever sent it; none where there was none. */
  getProxiedRemoteAddress(): ArrayBuffer;
  /** Goes behind "HTTP/1.1 " as it is: it may hold whole header lines. */
  writeStatus(status: NativeText): this;
  writeHeader(name: NativeText, value: NativeText): this;
  end(body?: NativeText, closeConnection?: boolean): this;
  /** With no arguments it writes no Content-Length and keeps the connection; with a length it spoils it. */
  endWithoutBody(contentLength?: number, closeConnection?: boolean): this;
  /** Writes a chunk, the first one with the head; false where the socket does not take all of it: the engine keeps the rest. */
  write(chunk: NativeText): boolean;
  /** Of a piece of `totalSize` bytes in all. Answers [everything was taken, the response is done]; nothing else is kept. */
  tryEnd(body: Uint8Array, totalSize: number): [boolean, boolean];
  /** Body bytes written so far. */
  getWriteOffset(): number;
  /** Called when there is room again. With a handler, what the engine keeps goes out only with the next write or cork. */
  onWritable(handler: (offset: number) => boolean): this;
  /** Called once if the connection ends before the response does. */
  onAborted(handler: () => void): this;
  /** The chunk is detached when the callback returns. */
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): this;
  cork(write: () => void): this;
  /** Reads no more of the connection, until a write is not taken whole. */
  pause(): this;
  /** Reads on after `pause`. */
  resume(): this;
  /** Ends the connection at once. */
  close(): this;
  /**
   * Writes the rest of a head that begins with 101, and calls the behaviour's `open` with
   * what `userData` has. `context` is what the behaviour's `upgrade` was given.
   */
  upgrade(
    userData: NativeSocketData,
    key: string,
    protocol: string,
    extensions: string,
    context: NativeUpgrade,
  ): void;
}

/** Which behaviour is asked for an upgrade; its value means nothing here. */
export type NativeUpgrade = object;

/** Copied onto the socket, property by property. */
export interface NativeSocketData {
  readonly connection: unknown;
}

/** A connection of WebSocket. Every call of it throws once `close` was called. */
export interface NativeWebSocket extends NativeSocketData {
  /** 1: sent; 0: it waits for the peer; 2: it was dropped, because too much waits. Compressed where the two have agreed on that. */
  send(message: NativeText, isBinary: boolean, compress: boolean): number;
  /** To the topic's subscribers of this app but itself. Whether there is one. */
  publish(topic: string, message: NativeText, isBinary: boolean, compress: boolean): boolean;
  subscribe(topic: string): boolean;
  unsubscribe(topic: string): boolean;
  isSubscribed(topic: string): boolean;
  getBufferedAmount(): number;
  /** Sends a close frame; the behaviour's `close` is called before this returns. */
  end(code: number, reason: string): void;
  /** Ends the connection without one; so is `close`. */
  close(): void;
}

/** What the engine keeps for one route's connections, and what it calls. */
export interface NativeWebSocketBehavior {
  readonly maxPayloadLength: number;
  /** Seconds: 0, or 8 to 960. The engine ends the process for another. */
  readonly idleTimeout: number;
  readonly sendPingsAutomatically: boolean;
  readonly maxBackpressure: number;
  readonly closeOnBackpressureLimit: boolean;
  /** One of the engine's compressors; 0 for none. */
  readonly compression: number;
  readonly upgrade: (response: NativeResponse, request: NativeUpgradeRequest, context: NativeUpgrade) => void;
  readonly open: (socket: NativeWebSocket) => void;
  /** The message is detached when this returns. */
  readonly message: (socket: NativeWebSocket, message: ArrayBuffer, isBinary: boolean) => void;
  readonly close: (socket: NativeWebSocket, code: number, reason: ArrayBuffer) => void;
}

interface NativeUpgradeRequest extends NativeRequest {
  /** Leaves the request to the next pattern that matches it. */
  setYield(yields: true): void;
}

type NativeHandler = (response: NativeResponse, request: NativeRequest) => void;

/** A listening socket; its value means nothing here. */
export type NativeSocket = object;

export interface NativeApp {
  get(pattern: "/*", handler: NativeHandler): this;
  head(pattern: "/*", handler: NativeHandler): this;
  post(pattern: "/*", handler: NativeHandler): this;
  put(pattern: "/*", handler: NativeHandler): this;
  patch(pattern: "/*", handler: NativeHandler): this;
  del(pattern: "/*", handler: NativeHandler): this;
  options(pattern: "/*", handler: NativeHandler): this;
  /** Requests that none of the others takes. They tell methods apart by case too. */
  any(pattern: "/*", handler: NativeHandler): this;
  /** Asked before all others of a GET whose Sec-WebSocket-Key has 24 characters. What begins with a star matches every path. */
  ws(pattern: `/*${number}`, behavior: NativeWebSocketBehavior): this;
  /** To all subscribers of this app. Whether there is one. */
  publish(topic: string, message: NativeText, isBinary: boolean, compress: boolean): boolean;
  /** Told of each connection that begins (1) and ends (-1), but of no end once it was upgraded. */
  filter(each: (response: NativeResponse, change: number) => void): this;
  listen(host: string, port: number, options: number, done: (socket: NativeSocket | false) => void): this;
  listen_unix(done: (socket: NativeSocket | false) => void, path: string): this;
  /** Closes every listener and connection. */
  close(): this;
}

/** The engine reads the files when the app is made. */
export interface NativeTls {
  readonly cert_file_name: string;
  readonly key_file_name: string;
  readonly passphrase?: string;
  /** Of TLS 1.2, as OpenSSL names them; those of 1.3 cannot be chosen. */
  readonly ssl_ciphers: string;
}

interface NativeTlsApp extends NativeApp {
  /** Serves another certificate to who asks for the name. A file that it cannot read it ignores. */
  addServerName(name: string, options: NativeTls): this;
  /** What is attached from here on serves those who ask for the name. Writes two lines to stdout. */
  domain(name: string): this;
}

export interface NativeServer {
  App(): NativeApp;
  /** Throws where it cannot use the files, without saying why. */
  SSLApp(options: NativeTls): NativeTlsApp;
  us_listen_socket_close(socket: NativeSocket): void;
  us_socket_local_port(socket: NativeSocket): number;
  _cfg(option: "silent"): void;
  /** A compressor that all connections share. */
  readonly SHARED_COMPRESSOR: number;
}
