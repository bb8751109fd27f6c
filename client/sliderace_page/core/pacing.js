// Keep to the limits a server announced, so that it never has to slow us down. Pure.

/** In force until `welcome` announces the server's own. */
export const DEFAULT_LIMITS = Object.freeze({
  messages_per_s: 60,
  messages_burst: 120,
  tiles_per_s: 160,
  tiles_burst: 320,
  slides_per_message: 60,
  gather_ms: 33,
  message_bytes: 2048,
});

/** Tokens that come back at a steady rate, up to a burst. */
class Bucket {
  constructor(rate, burst, now) {
    this.rate = Math.max(1, rate);
    this.burst = Math.max(1, burst);
    this.tokens = this.burst;
    this.at = now;
  }

  fill(now) {
    const back = (Math.max(0, now - this.at) * this.rate) / 1000;
    this.tokens = Math.min(this.burst, this.tokens + back);
    this.at = Math.max(this.at, now);
  }

  /** ms until `count` tokens are there, or a full bucket if it holds fewer */
  wait(count, now) {
    this.fill(now);
    const missing = Math.min(count, this.burst) - this.tokens;
    return Math.ceil((Math.max(0, missing) * 1000) / this.rate);
  }
}

/** How many slides may go now, and when the next ones may. */
export class Pace {
  /** @param {typeof DEFAULT_LIMITS} limits @param {number} now ms */
  constructor(limits, now) {
    this.limits = limits;
    this.messages = new Bucket(limits.messages_per_s, limits.messages_burst, now);
    this.tiles = new Bucket(limits.tiles_per_s, limits.tiles_burst, now);
    this.windowEnds = now;
  }

  /**
   * ms until a message that begins with `slide` may go.
   * @param {[string, number, number]} slide
   * @param {number} now
   * @param {boolean} urgent do not gather: the solving slide is among them
   */
  wait(slide, now, urgent) {
    const tokens = Math.max(this.messages.wait(1, now), this.tiles.wait(slide[1], now));
    return urgent ? tokens : Math.max(tokens, this.windowEnds - now);
  }

  /** The first of `slides` that may go in one message now; they are counted. */
  take(slides, now, urgent) {
    if (slides.length === 0 || this.wait(slides[0], now, urgent) > 0) return [];
    const taken = [];
    for (const slide of slides.slice(0, Math.max(1, this.limits.slides_per_message))) {
      if (taken.length && slide[1] > this.tiles.tokens) break;
      this.tiles.tokens -= slide[1];
      taken.push(slide);
    }
    this.messages.tokens -= 1;
    this.windowEnds = now + this.limits.gather_ms;
    return taken;
  }
}
