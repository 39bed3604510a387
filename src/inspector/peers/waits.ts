/** How long somebody waits who looks at the page: a worker that is busy is not left out at once. */
export const USER_WAIT_MS = 1500;
