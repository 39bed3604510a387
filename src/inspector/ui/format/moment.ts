// Formats moments, relative and absolute.

import { duration } from "./duration.js";

/**
 * "now", "4 s ago", "3 min ago", "2 h ago", "5 d ago". A moment in the future, from a server clock
 * that is ahead, is "now".
 */
export function ago(at: number, now: number): string {
  const seconds = Math.floor((now - at) / 1000);
  return seconds < 1 ? "now" : `${span(seconds)} ago`;
}

/** "in 4 s", "in 3 min", "in 2 h", "in 5 d". A moment that has passed is "now". */
export function ahead(at: number, now: number): string {
  const seconds = Math.ceil((at - now) / 1000);
  return seconds < 1 ? "now" : `in ${span(seconds)}`;
}

function span(seconds: number): string {
  if (seconds < 60) return `${seconds}\u00a0s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}\u00a0min`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)}\u00a0h`;
  return `${Math.floor(seconds / 86_400)}\u00a0d`;
}

/** Remaining time of a hold, "12 s"; never negative. */
export function left(until: number, now: number): string {
  const ms = Math.max(0, until - now);
  return duration(Math.ceil(ms / 1000) * 1e6).replace("0\u00a0µs", "0\u00a0s");
}

/** In the browser's time zone: "2026-11-22 14:43:38.123". */
export function absolute(at: number): string {
  const date = new Date(at);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${clock(at)}`;
}

/** In the browser's time zone: "14:43:38.123". */
export function clock(at: number): string {
  const date = new Date(at);
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${time}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** "2026-11-22T14:43" of an ISO text, in the browser's time zone, as an input of the browser takes it. */
export function localMoment(iso: string): string {
  const at = Date.parse(iso);
  return Number.isNaN(at) ? "" : `${absolute(at).slice(0, 16).replace(" ", "T")}`;
}

/** The reverse; undefined for an empty or incomplete text. */
export function isoMoment(local: string): string | undefined {
  const at = Date.parse(local);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}

const two = (n: number): string => String(n).padStart(2, "0");
