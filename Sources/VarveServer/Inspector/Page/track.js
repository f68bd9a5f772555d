/** Draws the bars, the axis and the marks of the time bar. */
import { h } from "./dom.js";
import { counted, moment } from "./format.js";
import { ticks } from "./ticks.js";

const laneHeight = 16;
const singleHeight = 40;
const axisHeight = 22;

/**
 * @typedef {object} Geometry
 * @property {number} height
 * @property {number} axis where the axis begins
 * @property {number} right where the bars end
 * @property {number} now where "now" is
 * @property {(time: number) => number} x
 * @property {(x: number) => number} time
 */

/**
 * @param {SVGElement} svg
 * @param {number} width
 * @param {import("./histogram.js").Histogram | null} histogram
 * @param {{ pinned: number | null, stops: import("./histogram.js").Stop[] | null, horizons: import("./horizon.js").Horizon[] }} shown
 * @returns {Geometry}
 */
export function drawTrack(svg, width, histogram, { pinned, stops, horizons }) {
  const left = width < 600 ? 76 : 128;
  const right = width - 44;
  const lanes = histogram?.lanes ?? [];
  const tall = lanes.length <= 1 ? singleHeight : lanes.length === 2 ? 24 : lanes.length === 3 ? 19 : laneHeight;
  const axis = Math.max(1, lanes.length) * tall + 6;
  const height = axis + axisHeight;
  const [start, end] = [histogram?.start ?? 0, histogram?.end ?? 1];
  const x = (/** @type {number} */ time) => {
    const place = left + ((time - start) / Math.max(1, end - start)) * (right - left);
    return Math.max(left, Math.min(right, place));
  };
  const time = (/** @type {number} */ place) =>
    start + ((Math.max(left, Math.min(right, place)) - left) / (right - left)) * (end - start);
  const passed = horizons.filter((one) => one.time > start);
  svg.setAttribute("width", String(width));
  svg.setAttribute("height", String(height));
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.replaceChildren(
    ...passed.map((one) => h("rect", { class: one.kind, x: left, y: 0, width: Math.max(0, x(one.time) - left), height: axis }, h("title", {}, one.says))),
    ...lanes.flatMap((lane, index) => drawLane(lane, index, tall, left, right, x, histogram)),
    ...drawAwaited(histogram, left, right),
    ...passed.flatMap((one, row) => drawHorizon(one, row, left, x(one.time), axis)),
    h("line", { class: "axis", x1: left, x2: right, y1: axis, y2: axis }),
    ...(histogram ? ticks(start, end, Math.max(2, Math.floor((right - left) / 92))).flatMap((tick) => [
      h("line", { class: "tick", x1: x(tick.time), x2: x(tick.time), y1: axis, y2: axis + 4 }),
      h("text", { class: "tick-label", x: x(tick.time), y: axis + 16 }, tick.label),
    ]) : []),
    ...(stops && stops.length <= 300
      ? stops.filter((stop) => stop.time >= start && stop.time <= end)
          .map((stop) => h("circle", { class: "stop", cx: x(stop.time), cy: axis, r: 1.8 }))
      : []),
    ...(histogram?.marks ?? []).filter((mark) => mark.time >= start && mark.time <= end).slice(0, 200).map((mark) => drawMark(mark, x(mark.time), axis)),
    ...(pinned !== null ? drawPin(x(pinned), axis) : []),
    h("line", { class: "now-line", x1: width - 22, x2: width - 22, y1: 2, y2: axis }),
    h("text", { class: "tick-label", x: width - 22, y: axis + 16 }, "now"),
  );
  return { height, axis, right, now: width - 22, x, time };
}

/** @returns {any[]} */
function drawLane(/** @type {any} */ lane, /** @type {number} */ index, /** @type {number} */ tall, /** @type {number} */ left, /** @type {number} */ right, /** @type {any} */ x, /** @type {any} */ histogram) {
  const bottom = (index + 1) * tall + 3;
  const most = Math.max(1, ...histogram.lanes.flatMap((/** @type {any} */ one) => one.counts));
  const step = (histogram.end - histogram.start) / lane.counts.length;
  const wide = Math.max(3, (right - left) / lane.counts.length - 1);
  const bars = lane.counts.flatMap((/** @type {number} */ count, /** @type {number} */ place) => {
    if (!count) return [];
    // The root keeps small counts visible beside great ones.
    const size = Math.max(2.5, Math.sqrt(count / most) * (tall - 4));
    const begin = histogram.start + place * step;
    return [h("rect", { class: `bar lane-${(index % 6) + 1}`, x: x(begin), y: bottom - size, width: wide, height: size, rx: 1 },
      h("title", {}, `${lane.name}: ${count} from ${moment(Math.round(begin))}`))];
  });
  const room = left < 100 ? 9 : 15;
  const name = lane.name.length > room ? `${lane.name.slice(0, room - 1)}…` : lane.name;
  return [
    h("line", { class: "lane-line", x1: left, x2: right, y1: bottom, y2: bottom }),
    h("text", { class: "lane-name", x: left - 10, y: bottom - 2 }, name, h("title", {}, `${lane.name}: ${counted(lane.total, "change")}`)),
    ...bars,
  ];
}

/** @param {any} mark @param {number} place @param {number} axis */
function drawMark(mark, place, axis) {
  const text = mark.kind === "late" ? "arrived after later commits" : "destroyed data";
  const shape = mark.kind === "late" ? `M${place - 4} ${axis + 1}h8l-4 -6z` : `M${place - 3} ${axis - 6}l6 6m0 -6l-6 6`;
  return h("path", { class: `mark mark-${mark.kind}`, d: shape }, h("title", {}, `Commit ${mark.commit.hash.slice(0, 8)} ${text}`));
}

/**
 * Draws up to where the past cannot be shown. The names of several horizons stand one under another.
 * @param {import("./horizon.js").Horizon} horizon @param {number} row @param {number} left @param {number} place @param {number} axis
 */
function drawHorizon({ kind, says }, row, left, place, axis) {
  const isWide = place - left > 60;
  const title = () => h("title", {}, says);
  return [
    h("line", { class: "horizon", x1: place, x2: place, y1: 0, y2: axis + 4 }, title()),
    h("text", { class: "horizon-name", x: isWide ? place - 5 : place + 5, y: 9 + row * 11, "text-anchor": isWide ? "end" : "start" }, kind, title()),
  ];
}

/**
 * Marks the intervals with commits of which a part has not arrived yet.
 * @param {import("./histogram.js").Histogram | null} histogram @param {number} left @param {number} right
 */
function drawAwaited(histogram, left, right) {
  const counts = histogram?.awaited ?? [];
  const wide = (right - left) / Math.max(1, counts.length);
  return counts.flatMap((count, place) => (count ? [
    h("path", { class: "mark-awaited", d: `M${left + place * wide} 1.5h${Math.max(2, wide - 1)}` },
      h("title", {}, `${counted(count, "commit")} of which the history has not arrived yet`)),
  ] : []));
}

/** @param {number} place @param {number} axis */
function drawPin(place, axis) {
  return [
    h("line", { class: "pin-line", x1: place, x2: place, y1: 2, y2: axis }),
    h("path", { class: "pin-flag", d: `M${place} 2h9l-3 4l3 4h-9z` }, h("title", {}, "The pinned moment")),
  ];
}
