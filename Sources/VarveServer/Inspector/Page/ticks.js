/** Where an axis of time has its marks, and what they say. */

const [second, minute, hour, dayLength] = [1_000, 60_000, 3_600_000, 86_400_000];
const steps = [
  1, 10, 100, second, 5 * second, 15 * second, minute, 5 * minute, 15 * minute, hour, 6 * hour, dayLength,
  7 * dayLength, 30.4 * dayLength, 91.3 * dayLength, 365.25 * dayLength, 2 * 365.25 * dayLength,
  5 * 365.25 * dayLength, 10 * 365.25 * dayLength, 50 * 365.25 * dayLength,
];
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (/** @type {number} */ number) => String(number).padStart(2, "0");

/**
 * @param {number} start
 * @param {number} end
 * @param {number} most
 * @returns {{ time: number, label: string }[]}
 */
export function ticks(start, end, most) {
  const step = steps.find((length) => (end - start) / length <= most) ?? (end - start) / most;
  /** @type {{ time: number, label: string }[]} */
  const found = [];
  if (step >= 28 * dayLength) {
    const count = Math.max(1, Math.round(step / (30.4 * dayLength)));
    const at = new Date(start);
    let month = at.getUTCFullYear() * 12 + at.getUTCMonth();
    month = Math.ceil(month / count) * count;
    for (; found.length < 60; month += count) {
      const time = Date.UTC(Math.floor(month / 12), month % 12);
      if (time > end) break;
      if (time >= start) found.push({ time, label: monthLabel(month, count) });
    }
    return found;
  }
  for (let time = Math.ceil(start / step) * step; time <= end && found.length < 60; time += step) {
    found.push({ time, label: label(time, step) });
  }
  return found;
}

/** @param {number} month @param {number} count */
function monthLabel(month, count) {
  const year = String(Math.floor(month / 12));
  return count % 12 === 0 || month % 12 === 0 ? year : `${months[month % 12]} ${year}`;
}

/** @param {number} time @param {number} step */
function label(time, step) {
  const at = new Date(time);
  if (step >= dayLength) return `${at.getUTCDate()} ${months[at.getUTCMonth()]}`;
  const clock = `${two(at.getUTCHours())}:${two(at.getUTCMinutes())}`;
  if (step >= minute) return at.getUTCHours() + at.getUTCMinutes() === 0 ? `${at.getUTCDate()} ${months[at.getUTCMonth()]}` : clock;
  const seconds = `${clock}:${two(at.getUTCSeconds())}`;
  return step >= second ? seconds : `${seconds}.${String(at.getUTCMilliseconds()).padStart(3, "0")}`;
}
