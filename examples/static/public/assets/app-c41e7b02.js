// The page's own routes: "/" and "/harbours/:name". The server knows neither.

const main = document.querySelector("main");

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

async function show() {
  const [, harbour] = /^\/harbours\/([a-z]+)$/.exec(location.pathname) ?? [];
  if (harbour === undefined) {
    main.replaceChildren(element("p", "Choose a harbour to see when its water is high."));
    return;
  }
  const response = await fetch(`/api/tides/${harbour}`);
  if (!response.ok) {
    main.replaceChildren(element("p", `Nothing is known of ${harbour}.`));
    return;
  }
  const { name, highWater } = await response.json();
  const list = document.createElement("ul");
  list.append(...highWater.map(({ at, metres }) => element("li", `${at}: ${metres.toFixed(1)} m`)));
  main.replaceChildren(element("h2", name), list);
}

document.querySelector("nav").addEventListener("click", (event) => {
  if (!(event.target instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  history.pushState(null, "", event.target.href);
  void show();
});
addEventListener("popstate", () => void show());
void show();
