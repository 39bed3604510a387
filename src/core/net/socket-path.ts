/** The kernel's limit for a socket's path in the file system, without its final zero byte. */
export const MAX_SOCKET_PATH_BYTES = 107;

export function isSocketPath(path: string): boolean {
  const bytes = Buffer.byteLength(path);
  return bytes > 0 && bytes <= MAX_SOCKET_PATH_BYTES && !path.includes("\0");
}
