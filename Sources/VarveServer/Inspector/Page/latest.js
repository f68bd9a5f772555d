/** Keeps one request under way; of those that come meanwhile, only the newest is sent. */

/**
 * @template Input
 * @param {(input: Input) => Promise<void>} work
 * @returns {(input: Input) => void}
 */
export function latest(work) {
  let isBusy = false;
  /** @type {{ input: Input } | null} */
  let waiting = null;
  const run = async (/** @type {Input} */ input) => {
    isBusy = true;
    try {
      await work(input);
    } catch (error) {
      // The page says it; what is shown stays.
      dispatchEvent(new CustomEvent("trouble", { detail: error }));
    } finally {
      isBusy = false;
      if (waiting) {
        const next = waiting.input;
        waiting = null;
        run(next);
      }
    }
  };
  return (input) => {
    if (isBusy) waiting = { input };
    else run(input);
  };
}

/**
 * Calls a function once nothing has asked for it for a while.
 * @param {() => void} body
 * @param {number} milliseconds
 */
export function settled(body, milliseconds) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(body, milliseconds);
  };
}
