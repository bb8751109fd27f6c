// When slides may be sent. The server announces limits and slows clients down that
// exceed them; within the limits here it never has to. Pure.

/** @typedef {import("./messages.js").Limits} Limits */

/** A token bucket: tokens return at a steady rate, up to a burst. */
class Bucket {
  /** @param {number} rate tokens per s @param {number} burst @param {number} now ms */
  constructor(rate, burst, now) {
    this.rate = Math.max(1, rate);
    this.burst = Math.max(1, burst);
    this.tokens = this.burst;
    this.updatedAt = now;
  }

  /** @param {number} now */
  #refill(now) {
    const returned = (Math.max(0, now - this.updatedAt) * this.rate) / 1000;
    this.tokens = Math.min(this.burst, this.tokens + returned);
    this.updatedAt = Math.max(this.updatedAt, now);
  }

  /**
   * ms until `count` tokens are there, or a full bucket if it holds fewer.
   * @param {number} count @param {number} now
   */
  wait(count, now) {
    this.#refill(now);
    const missing = Math.min(count, this.burst) - this.tokens;
    return Math.ceil((Math.max(0, missing) * 1000) / this.rate);
  }
}

/** How many slides may be sent now, and when the next ones may be. */
export class Pace {
  /** @param {Limits} limits @param {number} now ms */
  constructor(limits, now) {
    this.limits = limits;
    this.messages = new Bucket(limits.messages_per_s, limits.messages_burst, now);
    this.tiles = new Bucket(limits.tiles_per_s, limits.tiles_burst, now);
    this.windowEnds = now; // until then slides are gathered for one message
  }

  /**
   * ms until a message that begins with this slide may be sent.
   * @param {TimedSlide} slide
   * @param {number} now
   * @param {boolean} urgent do not gather: the solving slide is among them
   */
  wait(slide, now, urgent) {
    const tokens = Math.max(this.messages.wait(1, now), this.tiles.wait(slide[1], now));
    return urgent ? tokens : Math.max(tokens, this.windowEnds - now);
  }

  /**
   * Take the slides that may be sent in one message now; their tokens are spent.
   * @param {TimedSlide[]} slides in order
   * @param {number} now
   * @param {boolean} urgent
   */
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

  /** Stop gathering: waiting slides may be sent as soon as the limits allow. */
  stopGathering() {
    this.windowEnds = -Infinity;
  }
}
