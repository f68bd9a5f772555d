/** Draws what is open of the ownership tree. The tree beside it says the same to those who do not see. */
import { h } from "./dom.js";

const most = 160;
/** So many children of one owner are drawn. */
const mostChildren = 24;
const [columnWidth, rowHeight] = [210, 17];

/**
 * @param {any[]} roots
 * @param {Set<string>} open
 */
export function drawOwners(roots, open) {
  /** @type {{ node: any, x: number, y: number }[]} */
  const placed = [];
  /** @type {any[]} */
  const edges = [];
  let y = 14;
  let left = 0;
  const place = (/** @type {any} */ node, /** @type {number} */ depth) => {
    if (placed.length >= most) {
      left += 1;
      return null;
    }
    const spot = { node, x: 14 + depth * columnWidth, y };
    placed.push(spot);
    const isOpen = open.has(node.id) && !node.isAgain;
    const children = isOpen ? node.children ?? [] : [];
    left += Math.max(0, children.length - mostChildren) + (isOpen ? node.rest.length : 0);
    const ends = children.slice(0, mostChildren).map((/** @type {any} */ child) => place(child, depth + 1)).filter(Boolean);
    if (ends.length === 0) y += rowHeight;
    else spot.y = (ends[0].y + ends[ends.length - 1].y) / 2;
    for (const end of ends) {
      const middle = (spot.x + end.x) / 2 + 60;
      edges.push(h("path", { class: "edge", d: `M${spot.x + 5} ${spot.y}C${middle} ${spot.y} ${middle} ${end.y} ${end.x - 5} ${end.y}` }));
    }
    return spot;
  };
  const wanted = roots.filter((node) => open.has(node.id));
  for (const node of wanted.length ? wanted : roots.slice(0, 40)) place(node, 0);
  const width = Math.max(...placed.map((one) => one.x), 0) + columnWidth;
  const svg = h("svg", { width, height: y + 14, viewBox: `0 0 ${width} ${y + 14}`, role: "img", "aria-label": "The open part of the tree, drawn" },
    edges, placed.flatMap(({ node, x, y: line }) => [
      h("circle", { class: node.isDead ? "node-dead" : "node", cx: x, cy: line, r: node.owned ? 4 : 2.6 }),
      h("text", { class: node.isDead ? "node-text-dead" : "", x: x + 9, y: line + 4 }, clipped(node.name || node.id), h("title", {}, node.id)),
    ]));
  return h("figure", { class: "drawing" }, svg,
    h("figcaption", { class: "faint" }, left > 0 ? `${left} entities are not drawn: at most ${mostChildren} of one owner, and ${most} in all. The tree has all.` : wanted.length ? "" : "Open entities of the tree to draw what they own."));
}

/** @param {string} text */
const clipped = (text) => (text.length > 28 ? `${text.slice(0, 27)}…` : text);
