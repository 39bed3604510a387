// Runs in the browser. The session is in a cookie that it cannot read: who it is it asks.

const find = (selector) => document.querySelector(selector);
const [said, entrance, account, admin] = ["#said", "#entrance", "#account", "#admin"].map(find);
const [name, password] = ["#name", "#password"].map(find);

async function send(method, path, body) {
  const json = body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  try {
    const answer = await fetch(path, { method, ...json });
    const text = await answer.text();
    return { status: answer.status, ok: answer.ok, told: text === "" ? {} : JSON.parse(text) };
  } catch {
    return { status: 0, ok: false, told: { title: "The service does not answer" } };
  }
}

function say(text, isGood = true) {
  said.textContent = text;
  said.className = isGood ? "good" : "bad";
}

/** Of a field that is not as it is asked for: "Password: At least 12 characters". */
function hintOf({ pointer }) {
  const id = pointer.slice(1);
  return `${find(`label[for=${id}]`).textContent}: ${find(`#${id}-hint`).textContent}`;
}

function sayWhy({ told }) {
  say(told.errors?.map(hintOf).join(". ") ?? [told.title, told.detail].filter(Boolean).join(". "), false);
}

function showEntrance() {
  for (const section of [account, admin]) section.hidden = true;
  entrance.hidden = false;
  name.focus();
}

/** Shows who is logged in, and answers whether somebody is. */
async function showAccount() {
  const answer = await send("GET", "/page/me");
  if (answer.ok) {
    const { told } = answer;
    entrance.hidden = true;
    account.hidden = false;
    find("#who-name").textContent = told.name;
    find("#roles").textContent = told.roles.join(", ") || "none";
  } else if (answer.status === 401) showEntrance();
  else sayWhy(answer);
  return answer.ok;
}

async function sayEnded() {
  if (account.hidden || (await showAccount())) return;
  if (!entrance.hidden) say("Your session has ended", false);
}

entrance.addEventListener("submit", async (event) => {
  event.preventDefault();
  const answer = await send("POST", event.submitter?.value ?? "/login", {
    name: name.value,
    password: password.value,
  });
  password.value = "";
  if (!answer.ok) {
    sayWhy(answer);
    password.focus();
    return;
  }
  say(`Welcome, ${answer.told.welcome}`);
  if (await showAccount()) find("#who").focus();
});

async function leave(path, text) {
  const answer = await send("POST", path);
  if (answer.ok || answer.status === 401) {
    showEntrance();
    say(text);
  } else sayWhy(answer);
}

find("#logout").addEventListener("click", () => leave("/logout", "You are logged out here"));
find("#logout-everywhere").addEventListener("click", () =>
  leave("/page/logout-everywhere", "You are logged out everywhere"),
);

find("#open-admin").addEventListener("click", async () => {
  const answer = await send("GET", "/page/accounts");
  if (answer.status === 401) return sayEnded();
  if (!answer.ok) return sayWhy(answer);
  const rows = admin.querySelector("tbody");
  rows.replaceChildren();
  for (const { name, roles, since } of answer.told.accounts) {
    const row = rows.insertRow();
    const when = new Date(since).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
    for (const text of [name, roles.join(", ") || "none", when]) row.insertCell().textContent = text;
  }
  say("");
  admin.hidden = false;
  find("#admin-title").focus();
});

// It may have been ended from another browser meanwhile.
window.addEventListener("focus", sayEnded);

await showAccount();
