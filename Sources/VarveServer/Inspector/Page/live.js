/** Follows what is written, by server-sent events. The stream is read with the caller's credentials. */

export class Live {
  /**
   * @param {import("./api.js").Space} space
   * @param {{ changed: () => void, state: (text: string, isLive: boolean) => void }} heard
   */
  constructor(space, heard) {
    this.space = space;
    this.heard = heard;
    this.pause = 500;
  }

  async start() {
    for (;;) {
      try {
        await this.follow();
      } catch {
        this.heard.state("offline", false);
      }
      await new Promise((done) => setTimeout(done, this.pause * (0.5 + Math.random())));
      this.pause = Math.min(30_000, this.pause * 2);
    }
  }

  async follow() {
    const reply = await this.space.changes(new AbortController().signal);
    const reader = reply.body?.pipeThrough(new TextDecoderStream()).getReader();
    if (!reader) return;
    this.heard.state("live", true);
    let rest = "";
    let isFirst = true;
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      this.pause = 500;
      rest += value;
      const events = rest.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        if (!/^event: (changes|reset)/m.test(event)) continue;
        // The first says only from where on the stream is complete.
        if (!isFirst || event.includes("event: changes")) this.heard.changed();
        isFirst = false;
      }
    }
    this.heard.state("offline", false);
  }
}
