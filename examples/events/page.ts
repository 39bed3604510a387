export const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Water levels</title>
<h1>Water levels</h1>
<p role="status">Connecting</p>
<dl></dl>
<script>
  const status = document.querySelector("[role=status]");
  const list = document.querySelector("dl");
  const levels = new EventSource("/levels");
  levels.addEventListener("open", () => { status.textContent = "Connected"; });
  levels.addEventListener("error", () => {
    status.textContent = levels.readyState === EventSource.CLOSED ? "Refused" : "Connecting again";
  });
  levels.addEventListener("events-lost", () => list.replaceChildren());
  levels.addEventListener("level", ({ data }) => {
    const { pier, cm } = JSON.parse(data);
    let shown = list.querySelector("dd[data-pier=" + CSS.escape(pier) + "]");
    if (shown === null) {
      const name = document.createElement("dt");
      name.textContent = pier;
      shown = document.createElement("dd");
      shown.dataset.pier = pier;
      list.append(name, shown);
    }
    shown.textContent = cm + " cm";
  });
</script>
`;
