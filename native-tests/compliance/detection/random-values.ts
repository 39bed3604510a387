// Made-up values by a seed: valid numbers with their check digits, and what looks like them. The
// check digits are computed here by other means than in src.

/** mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export interface LabelledValue {
  readonly value: unknown;
  readonly kind: string;
}

export function randomValues(seed: number, each: number): readonly LabelledValue[] {
  const random = randomOf(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const digits = (n: number): string => Array.from({ length: n }, () => below(10)).join("");
  const pad = (n: number, length = 2): string => String(n).padStart(length, "0");
  const hex = (n: number): string => Array.from({ length: n }, () => below(16).toString(16)).join("");
  const capitals = (n: number): string =>
    Array.from({ length: n }, () => String.fromCharCode(65 + below(26))).join("");
  const withCheck = (body: string, isValid: (text: string) => boolean): string =>
    [..."0123456789"].map((digit) => body + digit).find(isValid) ?? withCheck(digits(body.length), isValid);
  const isLuhn = (text: string): boolean =>
    [...text]
      .reverse()
      .reduce(
        (sum, digit, i) =>
          sum + (i % 2 === 0 ? Number(digit) : ((Number(digit) * 2) % 10) + Math.floor(Number(digit) / 5)),
        0,
      ) %
      10 ===
    0;
  const first = [
    "anna",
    "ben",
    "chloe",
    "david",
    "emre",
    "fatima",
    "giulia",
    "hans",
    "ines",
    "joão",
    "kim",
    "lars",
    "maria",
    "nora",
    "o'neil",
  ];
  const second = [
    "smith",
    "mueller",
    "garcia",
    "kowalski",
    "lee",
    "rossi",
    "dubois",
    "jensen",
    "silva",
    "tanaka",
  ];
  const words = [
    "order",
    "please",
    "ship",
    "to",
    "the",
    "warehouse",
    "before",
    "friday",
    "customer",
    "asked",
    "again",
    "about",
    "delivery",
    "and",
    "refund",
  ];
  const sentence = (inner: string): string =>
    `${Array.from({ length: 3 + below(6) }, () => pick(words)).join(" ")}${pick([" ", ": ", ", ", " ("])}${inner}${pick(["", ".", ", ", "; "])} ${pick(words)} ${pick(words)}`;

  const email = (): string =>
    `${pick(first)}${pick([".", "_", "-", "", "+tag."])}${pick(second)}${pick(["", String(below(99))])}@${pick(["example", "mail", "sub.company", "my-shop", "uni"])}.${pick(["com", "org", "co.uk", "de", "io", "museum", "test", "com.br"])}`;
  const international = (): string =>
    pick([
      () => `+49 ${pick(["30", "89", "151", "171"])} ${digits(4)}${digits(4)}`,
      () =>
        `+1${pick([" ", "-", ""])}${2 + below(8)}${digits(2)}${pick([" ", "-", ""])}${2 + below(8)}${digits(2)}${pick([" ", "-", ""])}${digits(4)}`,
      () => `+44 20 ${7 + below(2)}${digits(3)} ${digits(4)}`,
      () => `+44${pick(["", " "])}7${digits(3)}${pick(["", " "])}${digits(6)}`,
      () => `+33 ${1 + below(9)} ${digits(2)} ${digits(2)} ${digits(2)} ${digits(2)}`,
      () => `+82-10-${digits(4)}-${digits(4)}`,
      () => `+91${9 - below(3)}${digits(9)}`,
      () => `+81 3-${digits(4)}-${digits(4)}`,
      () => `0049 ${pick(["30", "89"])} ${digits(7)}`,
      () => `+55 (11) 9${digits(4)}-${digits(4)}`,
    ])();
  const national = (): string =>
    pick([
      () =>
        `(${pick(["212", "415", "305", "617", "202"])}) ${2 + below(7)}${pick(["34", "55", "62", "78"])}-${digits(4)}`,
      () => `${pick(["212", "415", "305", "617"])}-${2 + below(7)}${pick(["34", "55", "62"])}-${digits(4)}`,
      () => `030 ${1 + below(9)}${digits(6)}`,
      () => `0171/${1 + below(9)}${digits(6)}`,
      () => `020 7${digits(3)} ${digits(4)}`,
      () => `06 ${pick(["12", "34", "61", "78"])} ${digits(2)} ${digits(2)} ${digits(2)}`,
      () => `010-${2 + below(8)}${digits(3)}-${digits(4)}`,
      () => `01${pick(["51", "60", "72"])}${digits(7)}`,
    ])();
  const grouped = (text: string, sizes: readonly number[], by: string): string => {
    const starts = sizes.map((_, i) => sizes.slice(0, i).reduce((sum, size) => sum + size, 0));
    return sizes.map((size, i) => text.slice(starts[i], (starts[i] as number) + size)).join(by);
  };
  const card = (): unknown => {
    const [prefix, length] = pick([
      ["4", 16],
      ["51", 16],
      ["55", 16],
      ["2221", 16],
      ["2699", 16],
      ["34", 15],
      ["37", 15],
      ["6011", 16],
      ["65", 16],
      ["36", 14],
      ["3530", 16],
      ["62", 16],
    ] as const);
    const number = withCheck(
      prefix + digits(length - prefix.length - 1),
      (text) => isLuhn(text) && text.startsWith(prefix),
    );
    const sizes = length === 16 ? [4, 4, 4, 4] : length === 15 ? [4, 6, 5] : [4, 6, 4];
    return pick<() => unknown>([
      () => number,
      () => grouped(number, sizes, " "),
      () => grouped(number, sizes, "-"),
      () => (length === 16 && number < "9" ? Number(number) : number),
    ])();
  };
  const iban = (): string => {
    const [country, length, letters] = pick([
      ["DE", 22, 0],
      ["FR", 27, 0],
      ["GB", 22, 4],
      ["ES", 24, 0],
      ["NL", 18, 4],
      ["IT", 27, 0],
      ["CH", 21, 0],
      ["PL", 28, 0],
      ["NO", 15, 0],
      ["MT", 31, 4],
    ] as const);
    const rest = capitals(letters) + digits(length - 4 - letters);
    const number = BigInt([...`${rest}${country}00`].map((each) => Number.parseInt(each, 36)).join("")) % 97n;
    const plain = `${country}${pad(98 - Number(number))}${rest}`;
    return pick([plain, plain.replace(/(.{4})(?=.)/g, "$1 "), plain.toLowerCase()]);
  };
  const address = (): string =>
    pick([
      () => [11 + below(212), below(256), below(256), 1 + below(254)].join("."),
      () => `2001:db8:${hex(4)}:${hex(4)}:${hex(4)}:${hex(4)}:${hex(4)}:${hex(4)}`,
      () => `2a00:1450:${hex(4)}::${hex(3)}a`,
      () => `fe80::${hex(4)}:${hex(4)}:1${hex(3)}`,
    ])();
  const ssn = (): string => `${pad(1 + below(665), 3)}-${pad(1 + below(99))}-${pad(1 + below(9999), 4)}`;
  const resident = (): string => {
    const body = `${pad(below(100))}${pad(1 + below(12))}${pad(1 + below(28))}${1 + below(4)}${digits(5)}`;
    const sum = [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5].reduce(
      (all, weight, i) => all + weight * Number(body[i]),
      0,
    );
    const whole = body + ((11 - (sum % 11)) % 10);
    return `${whole.slice(0, 6)}-${whole.slice(6)}`;
  };
  const business = (): string => {
    const body = `${100 + below(899)}${pad(1 + below(99))}${digits(4)}`;
    const sum =
      [1, 3, 7, 1, 3, 7, 1, 3, 5].reduce((all, weight, i) => all + weight * Number(body[i]), 0) +
      Math.floor((Number(body[8]) * 5) / 10);
    return `${body.slice(0, 3)}-${body.slice(3, 5)}-${body.slice(5)}${(10 - (sum % 10)) % 10}`;
  };
  const positives: readonly (readonly [string, () => unknown])[] = [
    ["email", email],
    ["phone", international],
    ["phone", national],
    ["card", card],
    ["bank_account", iban],
    ["ip_address", address],
    ["national_id", ssn],
    ["national_id", resident],
    ["tax_id", business],
  ];
  const year = (): string => String(1990 + below(45));
  const negatives: readonly (() => unknown)[] = [
    () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`,
    () => hex(pick([32, 40, 64])),
    () => `ORD-${year()}-${digits(6)}`,
    () => digits(pick([6, 7, 8, 9, 10, 11, 12])),
    () => 1_600_000_000_000 + below(200_000_000_000),
    () => 1_600_000_000 + below(200_000_000),
    () => `${year()}-${pad(1 + below(12))}-${pad(1 + below(28))}`,
    () =>
      `${year()}-${pad(1 + below(12))}-${pad(1 + below(28))}T${pad(below(24))}:${pad(below(60))}:${pad(below(60))}.${digits(3)}${pick(["Z", "+02:00", "+0100"])}`,
    () => `${pad(1 + below(28))}.${pad(1 + below(12))}.${year()} ${pad(below(24))}:${pad(below(60))}`,
    () => `${below(4)}.${below(20)}.${below(30)}`,
    () => `v${below(9)}.${below(20)}.${below(30)}-rc.${below(9)}`,
    () => `${below(9)}.${below(20)}.${19000 + below(9000)}.${below(900)}`,
    () => `$${1 + below(9)},${digits(3)}.${digits(2)}`,
    () => `${1 + below(999)}.${digits(3)},${digits(2)} €`,
    () => `${capitals(3)}-${digits(4)}-${capitals(2)}`,
    () => `SKU${digits(8)}`,
    () => `978-${below(10)}-${digits(2)}-${digits(6)}-${below(10)}`,
    () =>
      withCheck(
        `400${digits(9)}`,
        (text) => [...text].reduce((sum, digit, i) => sum + Number(digit) * (i % 2 ? 3 : 1), 0) % 10 === 0,
      ),
    () => `${hex(2)}:${hex(2)}:${hex(2)}:${hex(2)}:${hex(2)}:${hex(2)}`,
    () => `${pad(below(24))}:${pad(below(60))}:${pad(below(60))}`,
    () => `https://example.com/${pick(words)}/${digits(8)}?page=${below(99)}`,
    () => `@scope/${pick(words)}@${below(9)}.${below(9)}.${below(9)}`,
    () => `git@github.com:${pick(words)}/${pick(words)}.git`,
    () => `${pick(words)}@2x.png`,
    () => `a@${pick(["b", "c", "localhost"])}`,
    () => sentence(`${below(999)} pieces`),
    () => `${(random() * 180 - 90).toFixed(6)}, ${(random() * 360 - 180).toFixed(6)}`,
    () => random(),
    () => `sha256-${Buffer.from(hex(32), "hex").toString("base64")}`,
    () => `${digits(3)}-${digits(7)}-${digits(7)}`,
    () => `#${digits(9)}`,
    () => `#${hex(6)}`,
    () => `10.${below(256)}.0.0/16`,
  ];
  return [
    ...positives.flatMap(([kind, make]) =>
      Array.from({ length: each * 3 }, (_, i) => {
        const value = make();
        return { value: i % 4 === 3 && typeof value === "string" ? sentence(value) : value, kind };
      }),
    ),
    ...negatives.flatMap((make) => Array.from({ length: each }, () => ({ value: make(), kind: "none" }))),
  ];
}
