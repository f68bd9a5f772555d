/** Dark or light: as the system says, until the switch says otherwise. */

const place = "varve-appearance";
const system = matchMedia("(prefers-color-scheme: dark)");

function apply() {
  const chosen = localStorage.getItem(place);
  document.documentElement.dataset.appearance = chosen ?? (system.matches ? "dark" : "light");
}

export function startAppearance() {
  apply();
  system.addEventListener("change", apply);
}

export function switchAppearance() {
  const next = document.documentElement.dataset.appearance === "dark" ? "light" : "dark";
  localStorage.setItem(place, next);
  apply();
}
