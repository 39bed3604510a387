const output = document.querySelector("output");

document.querySelector("button").addEventListener("click", async () => {
  const response = await fetch("/api/throw");
  const { dice, sum } = await response.json();
  output.textContent = `${dice.join(" + ")} = ${sum}`;
});
