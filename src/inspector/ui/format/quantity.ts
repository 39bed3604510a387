// Formats counts, rates, shares and bytes in a short form.

import { figures } from "./duration.js";

const NBSP = "\u00a0";

/** "842", "12.4k", "3.01M". */
export function count(n: number): string {
  if (n < 10_000) return String(Math.round(n));
  if (n < 999_500) return `${figures(n / 1e3)}k`;
  return n < 999_500_000 ? `${figures(n / 1e6)}M` : `${figures(n / 1e9)}G`;
}

/** "842/s", "0.30/s". */
export function rate(perSecond: number): string {
  return perSecond < 999.5 ? `${figures(perSecond)}/s` : `${count(perSecond)}/s`;
}

/** From a share of 0 to 1: "0 %", "<0.1 %", "1.2 %", "100 %". A share below 1 is never shown as 100 %. */
export function percent(share: number): string {
  if (share <= 0) return `0${NBSP}%`;
  if (share < 0.001) return `<0.1${NBSP}%`;
  if (share >= 1) return `100${NBSP}%`;
  if (share > 0.999) return `>99.9${NBSP}%`;
  return `${(share * 100).toFixed(share < 0.0995 || share > 0.99 ? 1 : 0)}${NBSP}%`;
}

/** In units of 1024: "512 B", "1.50 KB", "23.4 MB". */
export function bytes(n: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = n;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${figures(value)}${NBSP}${units[unit]}`;
}

/** "1 run", "2 runs". */
export function counted(n: number, one: string, many = `${one}s`): string {
  return `${count(n)}${NBSP}${n === 1 ? one : many}`;
}
