/** The kernel's limit for the path of a socket, without the final zero byte. */
export const MAX_SOCKET_PATH_BYTES = 107;

export function isSocketPath(path: string): boolean {
  const bytes = Buffer.byteLength(path);
  return bytes > 0 && bytes <= MAX_SOCKET_PATH_BYTES && !path.includes("\0");
}
