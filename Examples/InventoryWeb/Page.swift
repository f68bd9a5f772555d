#if Server
/// The page: things in places, as they are or as they were on a day.
enum Page {
  static let document = """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Inventory</title>
    <link rel="stylesheet" href="page.css">
    <script type="module" src="page.js"></script>
    <header>
      <h1>Inventory</h1>
      <label>Your name <input id="author" autocomplete="nickname" maxlength="80"></label>
      <label>Search <input id="search" type="search"></label>
      <output id="state">connecting</output>
    </header>
    <section class="time" aria-label="Day">
      <input id="day" type="range" min="0" max="0" value="0" step="1" aria-label="Day">
      <output id="shown">today</output>
      <button id="now" disabled>Today</button>
    </section>
    <p id="problem" role="alert" hidden></p>
    <main id="places"></main>
    <form id="add">
      <input name="name" placeholder="thing" required maxlength="80" aria-label="Thing">
      <input name="place" placeholder="place" required maxlength="80" aria-label="Place">
      <input name="count" type="number" min="0" max="1000000" value="1" aria-label="Number">
      <button>Add</button>
      <button type="button" id="undo" disabled>Undo</button>
    </form>
    <dialog id="history" aria-label="History"><ol></ol><button>Close</button></dialog>
    </html>
    """

  static let style = """
    :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; --line: light-dark(#d5d5d5, #444) }
    body { max-width: 46rem; margin: 0 auto; padding: 1rem }
    header, .time, form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center }
    h1 { flex: 1 1 100%; margin: 0; font-size: 1.5rem }
    #state { margin-left: auto; opacity: .7 }
    .time { padding: .75rem 0 } .time input { flex: 1 } #shown { min-width: 7rem; text-align: right }
    input, button { font: inherit; padding: .25rem .5rem; min-height: 2rem }
    h2 { margin: 1rem 0 .25rem; font-size: 1.05rem; border-bottom: 1px solid var(--line) }
    h2 small { float: right; font-weight: normal; opacity: .7 }
    ul { list-style: none; margin: 0; padding: 0 }
    li { display: flex; gap: .5rem; align-items: center; padding: .15rem 0 }
    li .name { flex: 1; overflow-wrap: anywhere; text-align: left; background: none; border: 0; color: inherit; cursor: pointer }
    li output { min-width: 3rem; text-align: right; font-variant-numeric: tabular-nums }
    form { margin-top: 1rem } form input[name=name] { flex: 2 } form input[name=place] { flex: 1 }
    #problem { color: light-dark(#a00, #f88) } .past main { opacity: .75 }
    dialog { max-width: 30rem; width: 90% }
    """

  static let script = #"""
    const space = "data/v1/spaces/inventory";
    const byId = (id) => document.getElementById(id);
    const dayLength = 86_400_000;
    let firstDay = null, lastCommit = null, drawn = 0;

    /** Runs an operation on the space, and returns its result. */
    async function run(operation) {
      const reply = await fetch(`${space}/operations`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(operation),
      });
      const answer = await reply.json();
      if (!reply.ok) throw new Error(answer.detail ?? answer.message ?? `the server replied ${reply.status}`);
      return answer.result;
    }

    /** The day that is shown; null for the present. */
    function shownDay() {
      const slider = byId("day");
      if (slider.value === slider.max) return null;
      return new Date(firstDay + Number(slider.value) * dayLength).toISOString().slice(0, 10);
    }

    async function items() {
      const search = byId("search").value.trim(), day = shownDay();
      return run({
        op: "query", type: "Item", order: ["place", { by: "name", ignoringCase: true }], limit: 1000,
        ...(search && { where: { name: { contains: search, ignoringCase: true } } }),
        ...(day && { asOf: `${day}T23:59:59.999Z` }),
      });
    }

    async function draw() {
      const number = ++drawn, day = shownDay();
      try {
        const all = await items();
        if (number !== drawn) return;
        const places = Map.groupBy(all, (item) => item.properties.place ?? "");
        byId("places").replaceChildren(...[...places].map(([place, items]) => section(place, items, day)));
        if (!all.length) byId("places").textContent = day ? "Nothing was here." : "Nothing is here yet.";
        byId("shown").textContent = day ?? "today";
        byId("now").disabled = !day;
        for (const field of byId("add").elements) field.disabled = Boolean(day) || field.id === "undo" && !lastCommit;
        document.body.classList.toggle("past", Boolean(day));
        tell("");
      } catch (error) { tell(error.message); }
    }

    function tell(text) {
      byId("problem").textContent = text;
      byId("problem").hidden = !text;
    }

    function element(name, text, more = {}) {
      return Object.assign(document.createElement(name), { textContent: text }, more);
    }

    function section(place, items, day) {
      const heading = element("h2", place || "somewhere");
      heading.append(element("small", items.reduce((sum, item) => sum + item.properties.count, 0)));
      const list = document.createElement("ul");
      list.append(...items.map((item) => row(item, day)));
      const part = document.createElement("section");
      part.append(heading, list);
      return part;
    }

    function row(item, day) {
      const { name, count } = item.properties, line = document.createElement("li");
      const change = (to) => write(
        { op: "update", id: item.id, set: { count: to }, expecting: { count } }, `counted ${name}`,
      );
      line.append(
        element("button", name, { className: "name", title: "History", onclick: () => showHistory(item) }),
        element("button", "−", { disabled: day || count === 0, ariaLabel: `One ${name} fewer`, onclick: () => change(count - 1) }),
        element("output", count),
        element("button", "+", { disabled: day, ariaLabel: `One more ${name}`, onclick: () => change(count + 1) }),
        element("button", "×", {
          disabled: day, ariaLabel: `Remove ${name}`,
          onclick: () => write({ op: "erase", ids: [item.id] }, `removed ${name}`),
        }),
      );
      return line;
    }

    /** Writes, unless someone changed the values that were expected. */
    async function write(operation, message) {
      const author = byId("author").value.trim() || "someone";
      let problem = "";
      try {
        await run({ ...operation, author, message });
        const commits = await run({ op: "log", limit: 10 });
        lastCommit = commits.find((commit) => commit.author === author && commit.message === message)?.hash;
      } catch (error) { problem = error.message; }
      await draw();
      if (problem) tell(problem);
    }

    async function showHistory(item) {
      const versions = await run({ op: "history", id: item.id, key: "count" });
      const lines = versions.map((version) => element(
        "li", `${version.time.slice(0, 16).replace("T", " ")}  ${version.author || "unknown"}: ${version.value ?? "none"}`,
      ));
      byId("history").querySelector("ol").replaceChildren(...lines);
      byId("history").showModal();
    }

    /** The slider leads from the day of the first commit or the first date to today. */
    async function setDays() {
      const { commits } = await (await fetch(space)).json();
      const [first] = await run({ op: "log", offset: Math.max(0, commits - 1), limit: 1 });
      const today = Math.floor(Date.now() / dayLength) * dayLength;
      const [oldest] = await run({ op: "query", type: "Item", order: ["@datestamp"], limit: 1 });
      const times = [first?.time, oldest?.datestamp].filter(Boolean).map(Date.parse);
      const begin = Math.floor(Math.min(Date.now(), ...times) / dayLength) * dayLength;
      const isNow = shownDay() === null;
      firstDay = begin;
      byId("day").max = Math.round((today - begin) / dayLength) + 1;
      if (isNow) byId("day").value = byId("day").max;
    }

    byId("author").value = localStorage.getItem("author") ?? "";
    byId("author").onchange = () => localStorage.setItem("author", byId("author").value);
    byId("search").oninput = byId("search").onchange = draw;
    byId("day").oninput = draw;
    byId("now").onclick = () => { byId("day").value = byId("day").max; draw(); };
    byId("history").querySelector("button").onclick = () => byId("history").close();
    byId("undo").onclick = () => {
      const commit = lastCommit;
      lastCommit = null;
      write({ op: "undo", commit }, "undid");
    };
    byId("add").onsubmit = async (event) => {
      event.preventDefault();
      const { name, place, count } = Object.fromEntries(new FormData(byId("add")));
      const set = { name: name.trim(), place: place.trim(), count: Number(count) };
      await write({ op: "create", type: "Item", set }, `added ${set.name}`);
      byId("add").elements.name.value = "";
    };

    await fetch(space, { method: "PUT" });
    await setDays();
    await draw();
    const live = new EventSource(`${space}/live`);
    live.onopen = () => { byId("state").textContent = "live"; };
    live.onerror = () => { byId("state").textContent = "offline"; };
    const changed = async () => { await setDays(); await draw(); };
    live.addEventListener("head", changed);
    """#
}
#endif
