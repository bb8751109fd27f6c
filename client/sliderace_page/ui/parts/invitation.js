// The invitation: the code to say, the link to send, the picture to scan.

import { qr } from "../../core/qr.js";
import { formatCode, isLoopback } from "../../core/format.js";
import { button } from "./controls.js";
import { h, setAttribute, setText, show } from "../dom.js";

/** Copy text, also where the clipboard is closed to pages (plain http). */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = h("textarea.visually-hidden", { readonly: true });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

const SVG = "http://www.w3.org/2000/svg";

/** A QR code as a picture. @param {string} text @param {string} [label] */
export function qrPicture(text, label = `QR code of ${text}`) {
  const modules = qr(text);
  const side = modules.length + 8; // a quiet zone of four modules on each side
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 ${side} ${side}`);
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", label);
  const path = document.createElementNS(SVG, "path");
  const dots = modules.flatMap((row, y) =>
    row.flatMap((dark, x) => (dark ? [`M${x + 4} ${y + 4}h1v1h-1z`] : [])),
  );
  path.setAttribute("d", dots.join(""));
  svg.append(path);
  return svg;
}

export class Invitation {
  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.code = h("p.code");
    this.link = h("p.link");
    this.local = h("p.problem.mild", {
      text: "This address works on this computer only. Others need the one your terminal shows.",
    });
    this.picture = h("div.qr");
    this.scan = button("scan", "QR code", () => this.#scan());
    setAttribute(this.scan, "aria-expanded", "false");
    this.copy = button("", "Copy link", () => this.#copy());
    this.share = button("", "Share", () => this.#share());
    show(this.share, Boolean(navigator.share));
    this.element = h(
      "div.card.invitation",
      {},
      h(
        "div.invite-words",
        {},
        h("p.label", { text: "Room code" }),
        this.code,
        this.link,
        h("div.buttons", {}, this.copy, this.share, this.scan),
        this.local,
      ),
      this.picture,
    );
  }

  /** The link to give away; on this computer itself, the one others can use. */
  get url() {
    return this.wider ?? new URL(this.app.code, location.href).href;
  }

  async #widen() {
    this.asked = true;
    this.wider = await this.app.linkForOthers();
    this.app.onChange();
  }

  async #copy() {
    const done = await copyText(this.url);
    this.app.onNote(
      done ? "Link copied" : `Copy this: ${this.url}`,
      done ? "good" : "info",
    );
  }

  async #share() {
    try {
      await navigator.share({ title: "sliderace", url: this.url });
    } catch (error) {
      if (error.name !== "AbortError") await this.#copy(); // else closed on purpose
    }
  }

  /** A phone shows the picture when somebody wants to scan it. */
  #scan() {
    const shown = this.element.classList.toggle("scanned");
    setAttribute(this.scan, "aria-expanded", String(shown));
  }

  update(room) {
    setText(this.code, formatCode(room.code));
    const { url } = this;
    const loopback = isLoopback(location.href);
    if (loopback && !this.asked) this.#widen();
    const local = loopback && !this.wider;
    setText(this.link, url.replace(/^https?:\/\//, ""));
    show(this.local, local);
    if (this.shown === url) return;
    this.shown = url;
    const picture = local ? null : qrPicture(url);
    this.picture.replaceChildren(...(picture ? [picture] : []));
    show(this.picture, picture !== null);
    show(this.scan, picture !== null);
  }
}
