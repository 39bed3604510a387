/** How long somebody waits who looks at the page: a worker that is busy is not left out at once. */
export const USER_WAIT_MS = 1500;

/** How long somebody waits who has work done: less than a request to the Inspector may take. */
export const WORK_WAIT_MS = 25_000;
