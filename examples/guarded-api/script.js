// Runs in the browser, and shows what the API and the browser let this page know.

const main = document.querySelector("main");
const level = document.querySelector("#level");
const answers = document.querySelector("#answers");

document.querySelector("#own").textContent = location.origin;

/** Of `"readings";r=4;t=10` the four. */
const leftIn = (rateLimit) => /;r=(\d+)/.exec(rateLimit ?? "")?.[1] ?? "";

async function ask(method, body) {
  const json = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  try {
    const answer = await fetch(`${main.dataset.api}/level`, { method, ...json });
    const told = await answer.json();
    if (answer.ok) level.textContent = `${told.cm} cm`;
    const retryAfter = answer.headers.get("retry-after");
    show(answer.ok, [
      `${method} /level`,
      answer.status,
      leftIn(answer.headers.get("ratelimit")),
      retryAfter === null ? "" : `${retryAfter} s`,
      answer.ok ? `${told.cm} cm` : told.title,
    ]);
    return answer.ok;
  } catch {
    // Whatever the API said, the browser tells no more than this.
    show(false, [`${method} /level`, "", "", "", "Nothing: the browser kept the answer back"]);
    return false;
  }
}

function show(isGood, texts) {
  const row = answers.insertRow();
  row.className = isGood ? "good" : "bad";
  for (const text of texts) row.insertCell().textContent = text;
}

async function readUntilRefused() {
  for (let i = 0; i < 10; i += 1) if (!(await ask("GET"))) return;
}

document.querySelector("#read").addEventListener("click", () => ask("GET"));
document.querySelector("#burst").addEventListener("click", readUntilRefused);
document.querySelector("#record").addEventListener("click", () => ask("POST", { cm: 205 }));
