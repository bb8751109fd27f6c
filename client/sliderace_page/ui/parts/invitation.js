// The invitation: room code, link and QR code.

import { linkForOthers } from "../../app/room-link.js";
import { encode } from "../../vendor/uqr/index.js";
import { formatCode, isLoopback } from "../../core/format.js";
import { text } from "../../core/texts.js";
import { button } from "./controls.js";
import { h, setAttribute, setText, show } from "../dom.js";

const QUIET_ZONE = 4; // modules on each side of a QR code

/**
 * Copy to the clipboard, also where pages may not use it (plain http).
 * @param {string} content
 * @returns {Promise<boolean>} whether it worked
 */
export async function copyText(content) {
  try {
    await navigator.clipboard.writeText(content);
    return true;
  } catch {
    const field = h("textarea.visually-hidden", { readonly: true });
    field.value = content;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * Draw a QR code.
 * @param {string} content
 * @param {string} label for screen readers
 */
export function qrPicture(content, label) {
  const { data, size } = encode(content, { ecc: "M", border: QUIET_ZONE });
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${size} ${size}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const path = document.createElementNS(SVG, "path");
  const squares = data.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  path.setAttribute("d", squares.join(""));
  svg.append(path);
  return svg;
}

export class Invitation {
  /** A link that works on other machines, where this address does not.
   * @type {string | undefined} */
  #publicLink;
  #requested = false;
  #answered = false;
  #shown = "";

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.code = h("p.code");
    this.link = h("p.link");
    this.localOnly = h("p.problem.mild", { text: text("invitation.local_only") });
    this.picture = h("div.qr");
    this.scan = button("scan", text("invitation.qr"), () => this.#togglePicture());
    setAttribute(this.scan, "aria-expanded", "false");
    const copy = button("", text("invitation.copy"), () => this.#copy());
    const share = button("", text("invitation.share"), () => this.#share());
    show(share, Boolean(navigator.share));
    this.element = h(
      "div.card.invitation",
      {},
      h(
        "div.invite-words",
        {},
        h("p.label", { text: text("invitation.code") }),
        this.code,
        this.link,
        h("div.buttons", {}, copy, share, this.scan),
        this.localOnly,
      ),
      this.picture,
    );
  }

  /** The link to give to others. */
  get url() {
    return this.#publicLink ?? new URL(this.app.code ?? "", location.href).href;
  }

  async #findPublicLink() {
    this.#requested = true;
    this.#publicLink = await linkForOthers(this.app);
    this.#answered = true;
    this.app.onChange();
  }

  async #copy() {
    const { url } = this;
    if (await copyText(url)) this.app.onNote(text("invitation.copied"), "good");
    else this.app.onNote(text("invitation.copy_this", { url }), "info");
  }

  async #share() {
    try {
      await navigator.share({ title: text("frame.title"), url: this.url });
    } catch (error) {
      const { name } = /** @type {Error} */ (error);
      if (name !== "AbortError") await this.#copy(); // that one means cancelled
    }
  }

  /** On a phone the QR code is only shown on request. */
  #togglePicture() {
    const shown = this.element.classList.toggle("scanned");
    setAttribute(this.scan, "aria-expanded", String(shown));
  }

  /** @param {Room} room */
  update(room) {
    setText(this.code, formatCode(room.code));
    const loopback = isLoopback(location.href);
    if (loopback && !this.#requested) this.#findPublicLink();
    const { url } = this;
    const localOnly = loopback && !this.#publicLink;
    setText(this.link, url.replace(/^https?:\/\//, ""));
    show(this.localOnly, localOnly && this.#answered);
    if (this.#shown === url) return;
    this.#shown = url;
    const label = text("invitation.qr_of", { url });
    this.picture.replaceChildren(...(localOnly ? [] : [qrPicture(url, label)]));
    show(this.picture, !localOnly);
    show(this.scan, !localOnly);
  }
}
