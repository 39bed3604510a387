// Messages come and go over a WebSocket, who is there comes as server-sent events. What
// others wrote is only ever put into the page as text.

const at = (id) => document.getElementById(id);
const [entrance, speak, said, people] = ["entrance", "speak", "said", "people"].map(at);
const room = document.querySelector("main");

let seat;
let socket;
let whoIsWhere = new Map();

// --- who is there

const presence = new EventSource("/presence");
presence.addEventListener("people", ({ data }) => {
  const { room: name, people: names } = JSON.parse(data);
  whoIsWhere.set(name, names);
  showPeople();
});
presence.addEventListener("events-lost", () => {
  whoIsWhere = new Map();
});

function showPeople() {
  for (const count of document.querySelectorAll(".count")) {
    const number = whoIsWhere.get(count.dataset.room)?.length ?? 0;
    count.textContent = number === 0 ? "nobody there" : `${number} there`;
  }
  if (seat === undefined) return;
  const items = (whoIsWhere.get(seat.room) ?? []).map((name) => {
    const item = document.createElement("li");
    item.textContent = name === seat.name ? `${name} (you)` : name;
    return item;
  });
  people.replaceChildren(...items);
}

// --- coming and going

entrance.addEventListener("submit", (event) => {
  event.preventDefault();
  const { name, room: chosen } = Object.fromEntries(new FormData(entrance));
  seat = { name: name.trim(), room: chosen };
  at("refusal").textContent = "";
  connect();
});

at("leave").addEventListener("click", () => {
  seat = undefined;
  socket?.close();
  leave("Not in a room");
});

let pauseMs = 500;

function connect() {
  const { name, room: chosen } = seat;
  const url = new URL(`/talk?${new URLSearchParams({ room: chosen, name })}`, location.href);
  url.protocol = url.protocol.replace("http", "ws");
  const opened = new WebSocket(url);
  socket = opened;
  opened.addEventListener("open", () => {
    pauseMs = 500;
    said.replaceChildren();
    at("link").textContent = "Connected";
    if (!room.hidden) return;
    entrance.hidden = true;
    room.hidden = false;
    at("room-name").textContent = chosen;
    at("text").focus();
    showPeople();
  });
  opened.addEventListener("message", ({ data }) => show(JSON.parse(data)));
  opened.addEventListener("close", ({ code, reason }) => {
    if (seat === undefined || socket !== opened) return;
    if (code === 4001 || code === 4002) {
      seat = undefined;
      leave("Not in a room");
      at("refusal").textContent = reason;
      at("name").select();
      return;
    }
    at("link").textContent = "Connecting again";
    setTimeout(() => seat !== undefined && connect(), pauseMs);
    pauseMs = Math.min(pauseMs * 2, 10_000);
  });
}

function leave(status) {
  at("link").textContent = status;
  entrance.hidden = false;
  room.hidden = true;
  at("name").focus();
}

// --- talking

speak.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = at("text").value.trim();
  // While there is no connection the text stays where it is.
  if (text === "" || socket?.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify({ text }));
  at("text").value = "";
});

function show(message) {
  if (message.kind !== "said") {
    at("link").textContent = message.title ?? "The server did not understand";
    return;
  }
  const item = document.createElement("li");
  item.className = message.from === seat.name ? "own" : "";
  const when = new Date(message.at);
  const head = document.createElement("p");
  const from = document.createElement("span");
  from.className = "from";
  from.textContent = message.from;
  const time = document.createElement("time");
  time.dateTime = when.toISOString();
  time.textContent = when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const text = document.createElement("p");
  text.textContent = message.text;
  head.append(from, time);
  item.append(head, text);
  // Whoever reads further up is not torn away.
  const isAtEnd = said.scrollHeight - said.scrollTop - said.clientHeight < 40;
  said.append(item);
  if (isAtEnd) said.scrollTop = said.scrollHeight;
  while (said.children.length > 500) said.firstChild.remove();
}
