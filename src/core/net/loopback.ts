const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** True if only this machine can reach the host. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);
