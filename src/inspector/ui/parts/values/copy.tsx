import { useState } from "preact/hooks";

/** Says that it has copied, in words. */
export function Copy({ text, what }: { readonly text: string; readonly what: string }) {
  const [said, setSaid] = useState("Copy");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("Copied");
    } catch {
      // Where the page is not served from a secure place, the browser lets no page copy.
      setSaid("Select it by hand");
    }
    setTimeout(() => setSaid("Copy"), 1500);
  };
  return (
    <button type="button" class="plain" aria-label={said === "Copy" ? `Copy ${what}` : said} onClick={copy}>
      {said}
    </button>
  );
}
