// File names that bundlers make anew for each content: whoever has the file has it for good.

const EXTENSIONS = /(?:\.[A-Za-z0-9]{1,5}){1,2}$/;

// webpack and Parcel. A date has no letters, a word no digits.
const HEX = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{8,64}$/;
// esbuild.
const BASE32 = /^(?=.*[2-7])(?=.*[A-Z])[A-Z2-7]{8}$/;
// Vite and Rollup. One in four has no digit and is missed.
const BASE64URL = /^(?=.*\d)(?=.*[A-Z])(?=.*[a-z])[A-Za-z0-9_-]{8}$/;

/** A page has one address, whatever it says: nobody would ask for it under its next name. */
const PAGE = /\.html?$/i;

/**
 * Whether a name ends in a hash of the content, before its extensions: `app.3f2a9c4e.js`,
 * `index-BpXbB1Lq.css`, `3f2a9c4e1b2d3c4f.png`. It would rather miss one than find one in
 * `report-20240115.pdf` or `jquery-validate.js`: what is called immutable is kept for a year.
 */
export function isHashedName(path: string): boolean {
  if (PAGE.test(path)) return false;
  const name = path.slice(path.lastIndexOf("/") + 1);
  const stem = name.replace(EXTENSIONS, "");
  if (stem === name) return false;
  const behind = Math.max(stem.lastIndexOf("-"), stem.lastIndexOf("."));
  if (behind < 0) return stem.length >= 16 && HEX.test(stem);
  // Those of base64url may hold a "-" themselves.
  const isSet = /[-.]/.test(stem.charAt(stem.length - 9));
  const hash = stem.slice(behind + 1);
  return HEX.test(hash) || BASE32.test(hash) || (isSet && BASE64URL.test(stem.slice(-8)));
}
