/** A file that a client sent. */
export interface UploadedFile {
  /** The field's name. */
  readonly name: string;
  /** Fit for a directory: no path, no dots at its ends, at most 255 bytes; "unnamed" where nothing is left. */
  readonly filename: string;
  /** The media type that the client says it has, in lower case without parameters. Nobody has looked at the file. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** As they came: never part of a path, and to be escaped wherever they are shown. */
  readonly sent: { readonly filename: string; readonly type: string };
}

export interface MemoryFile extends UploadedFile {
  readonly bytes: Uint8Array;
}

/** Removed when the run ends, whatever its outcome, unless it was kept. */
export interface DiskFile extends UploadedFile {
  /** Where it is. Its name there is a random one, and none but this user may read it. */
  readonly path: string;
  /**
   * Moves it to `path`, where it stays. Rejects where something is there already, and
   * with UPLOAD_RELEASED after the run.
   */
  keep(path: string): Promise<void>;
}

/** What a multipart body is read as. */
export interface Multipart<Fields, File extends UploadedFile> {
  readonly fields: Fields;
  /** In the order in which they were sent. */
  readonly files: readonly File[];
}
