/** The controls beside the moment: which times the bar has, steps, now, and the pinned moment. */
import { button, fill, h } from "./dom.js";
import { current, go } from "./address.js";
import { moment, who } from "./format.js";
import { isCommit, label } from "./moments.js";

/**
 * What the shown moment means, in words.
 * @param {string | undefined} at
 * @param {any} commit
 * @param {boolean} isOffline
 */
export function meaning(at, commit, isOffline) {
  if (!at && isOffline) return ["The last state that was read; the server does not reply."];
  if (!at) return ["The present state; the page follows what is written."];
  if (commit) return [`What ${who(commit.author)} had seen, ${moment(commit.time)}`, commit.message ? `: ${commit.message}` : ""];
  if (isCommit(at)) return ["What the author of this commit had seen."];
  return ["What held at this date, as far as it is known today."];
}

/** @param {import("./timebar.js").TimeBar} bar */
export function showControls(bar) {
  const { at, pin, from, to, lanes } = current().terms;
  const focused = bar.controls.contains(document.activeElement) ? document.activeElement?.getAttribute("data-name") : null;
  const scale = (/** @type {"dates" | "commits"} */ name, /** @type {string} */ text, /** @type {string} */ title) =>
    button(text, () => bar.stepping.changeScale(name).catch((error) => dispatchEvent(new CustomEvent("trouble", { detail: error }))),
      { class: "button segment", "aria-pressed": String(bar.scale === name), title, "data-name": name });
  fill(bar.controls,
    h("div", { class: "segments", role: "group", "aria-label": "Times" },
      scale("dates", "Dates", "From when values hold"),
      scale("commits", "Commits", "When they were written, as their authors saw the store")),
    bar.scale === "commits" && h("label", { class: "field" }, h("span", { class: "visually-hidden" }, "Lanes by"),
      h("select", { "data-name": "lanes", onchange: (/** @type {any} */ event) => go({ terms: { lanes: event.target.value } }) },
        ["author", "replica", "none"].map((name) => h("option", { value: name, selected: (lanes ?? "author") === name },
          name === "none" ? "one lane" : `by ${name}`)))),
    h("div", { class: "segments", role: "group", "aria-label": "Step" },
      button("‹", () => bar.stepping.step(-1), { class: "button segment", "aria-label": "Previous change", "data-name": "previous" }),
      button("›", () => bar.stepping.step(1), { class: "button segment", "aria-label": "Next change", disabled: !at, "data-name": "next" }),
      button("Now", () => bar.stepping.goTo(null), { class: "button segment", "aria-pressed": String(!at), "data-name": "now" })),
    (from || to) && button("Whole history", () => bar.zoomTo(null), { "data-name": "whole" }),
    pin
      ? h("span", { class: "pinned" }, "Compared with ", h("b", {}, label(pin === "now" ? undefined : pin)),
          button("×", () => go({ terms: { pin: null } }), { class: "button bare", "aria-label": "End the comparison", "data-name": "unpin" }))
      : button("Pin this moment", () => go({ terms: { pin: at ?? "now" } }),
          { title: "Compare other moments with this one", "data-name": "pin" }));
  if (focused) /** @type {any} */ (bar.controls.querySelector(`[data-name="${focused}"]`))?.focus();
}
