/** Starts the page: who calls, which space, which view. */
import { spaces, Problem } from "./api.js";
import { current, follow, go } from "./address.js";
import { startAppearance } from "./appearance.js";
import { note } from "./dialog.js";
import { h, fill } from "./dom.js";
import { Frame } from "./frame.js";
import { startKeys } from "./keys.js";
import { enter, forget, hasToken, remember } from "./session.js";

startAppearance();
addEventListener("trouble", (event) => {
  const { detail } = /** @type {CustomEvent} */ (event);
  note(detail instanceof Error ? detail.message : String(detail), "unread");
});
// The link of a server that was started anew, pasted into this tab, and a session that ended.
let isOpen = false;
addEventListener("hashchange", () => { if (location.hash.startsWith("#enter=")) location.reload(); });
addEventListener("signedout", () => { if (isOpen) location.reload(); });
start();

async function start() {
  const refused = await enter().catch(() => null);
  try {
    const all = await spaces();
    if (all.length === 0) return welcome("There is no space here yet. `varve space create` makes one.");
    const frame = new Frame(all);
    startKeys(frame);
    const choose = () => all.find((space) => space.name === current().space) ?? all[0];
    if (current().space !== choose().name) go({ space: choose().name }, { replaces: true });
    follow((state, before) => {
      if (state.space !== before.space) location.reload();
      else frame.show();
    });
    isOpen = true;
    await frame.open(choose());
  } catch (error) {
    if (error instanceof Problem && error.status === 401) {
      const wasToken = hasToken();
      forget();
      return askForToken(refused, wasToken);
    }
    welcome(error instanceof Error ? error.message : String(error));
  }
}

/** @param {string} text */
function welcome(text) {
  fill(document.getElementById("main") ?? document.body,
    h("section", { class: "welcome" }, h("h1", {}, "Varve"), h("p", {}, text)));
}

/**
 * @param {string | null} refused why the link was not taken
 * @param {boolean} wasToken whether a token was entered, which the server does not take
 */
function askForToken(refused, wasToken) {
  const input = h("input", { type: "password", id: "token", autocomplete: "off", required: true });
  fill(document.getElementById("main") ?? document.body,
    h("form", { class: "welcome", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      remember(input.value.trim());
      location.reload();
    } },
    h("h1", {}, "Varve"),
    refused && h("p", { class: "failure" }, `This link does not open the store: ${refused}.`),
    wasToken && h("p", { class: "failure", role: "alert" }, "The server does not take this token: it is unknown, expired or revoked."),
    h("p", {}, "Open the link that the server printed when it started, or enter a token."),
    h("label", { for: "token" }, "Token"), input,
    h("button", { type: "submit", class: "button primary" }, "Enter")));
  input.focus();
}
