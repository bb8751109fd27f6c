// The profile: its name, its devices, its data. A guest can create one here, or use one
// that another device has.

import { Me, NotDone } from "../../app/profile.js";
import { linkForOthers } from "../../app/room-link.js";
import { formatSize, isLoopback } from "../../core/format.js";
import { momentText } from "../../core/moments.js";
import { formatKey, formatTicket, parseKey, ticketIn } from "../../core/profile-key.js";
import { command } from "../../core/protocol.js";
import { bestText } from "../../core/statistics-text.js";
import { text } from "../../core/texts.js";
import { confirmButton } from "../parts/confirm-button.js";
import { NameField, Problem, button, newId } from "../parts/controls.js";
import { qrPicture } from "../parts/invitation.js";
import { ownScreens, pageLink } from "../parts/own-screens.js";
import { togglePanelOnClick } from "../parts/toolbar.js";
import { fill, h, setText, show } from "../dom.js";

/** @typedef {import("../../core/messages.js").Profile} Profile */
/** @typedef {import("../../core/messages.js").Device} Device */

export class ProfileScreen {
  #left = false;

  /** @param {App} app */
  constructor(app) {
    this.app = app;
    this.me = new Me(app);
    this.ticket = h("div.stack", { role: "status" });
    this.claiming = ticketIn(new URL(app.location.href).hash);
    if (this.claiming) app.history.replaceState(null, "", ".?profile");
    this.title = h("h1", { tabindex: "-1", text: text("profile.title") });
    this.status = h("p.soft", { role: "status" });
    this.again = button("", text("statistics.again"), () => this.#load());
    this.body = h("div.profile-cards");
    const privacy = button("quiet", text("privacy.title"), () => {});
    togglePanelOnClick(privacy, () => import("../parts/privacy.js"), app.onNote);
    this.element = h(
      "section.profile",
      {},
      h("header", {}, this.title, ownScreens(app, "profile")),
      this.status,
      this.again,
      this.body,
      h("div.buttons", {}, privacy),
    );
  }

  async #load() {
    this.#say(text("profile.loading"));
    try {
      await this.me.open();
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      if (this.#left) return;
      this.#say(error.message);
      show(this.again, true);
      return;
    }
    if (!this.#left) this.#show();
  }

  /** @param {string} words "": none */
  #say(words) {
    setText(this.status, words);
    show(this.status, words !== "");
    show(this.again, false);
  }

  /**
   * Do something with the server, and show the profile as it is then.
   * @param {() => Promise<unknown>} work
   * @param {Problem | null} [problem] shows why it did not work; null: a note does
   */
  async #do(work, problem = null) {
    problem?.update("");
    try {
      if (!this.me.isOpen) await this.me.open(); // the server was restarted, say
      await work();
      if (!this.#left) this.#show();
    } catch (error) {
      if (!(error instanceof NotDone)) throw error;
      if (problem) problem.update(error.message);
      else this.app.onNote(error.message, "bad");
    }
  }

  #show() {
    const { profile } = this.me;
    this.#say("");
    const cards = profile
      ? [
          h("div.stack", {}, this.#nameCard(profile), this.#devicesCard(profile)),
          h("div.stack", {}, this.#bestsCard(profile), this.#dataCard(profile)),
        ]
      : [this.#createCard(), this.#claimCard()];
    if (!profile && this.claiming) cards.reverse();
    fill(this.body, cards);
    if (profile && this.claiming) this.app.onNote(text("refusal.profile_exists"), "bad");
    this.claiming = "";
  }

  // --- Without a profile -------------------------------------------------------------

  #createCard() {
    const name = new NameField(this.app.seats.name);
    const problem = new Problem();
    return form(
      "profile.create_title",
      [
        h("p.soft", { text: text("profile.create_hint") }),
        name.element,
        problem.element,
        submit("primary", "profile.create"),
      ],
      () => {
        this.app.seats.name = name.value;
        this.#do(() => this.me.keep(name.value), problem);
      },
    );
  }

  #claimCard() {
    const ticket = field("profile.ticket", "profile.ticket_example", "code-input");
    ticket.input.value = formatTicket(this.claiming);
    const problem = new Problem();
    const card = form(
      "profile.claim_title",
      [
        h("p.soft", { text: text("profile.claim_hint") }),
        ticket.element,
        problem.element,
        submit(this.claiming ? "primary" : "", "profile.claim"),
      ],
      () => this.#do(() => this.me.claim(ticket.input.value), problem),
    );
    return h("div.stack", {}, card, this.#keyForm());
  }

  #keyForm() {
    const key = field("profile.key", "profile.key_example");
    const problem = new Problem();
    const enterKey = form(
      "",
      [h("p.soft.small", { text: text("profile.enter_key_hint") }), key.element, problem.element, submit("", "profile.enter_key")],
      () => this.#do(() => this.#useKey(key.input.value), problem),
    );
    return h("details.card.more", {}, h("summary", { text: text("profile.enter_key_title") }), enterKey);
  }

  /** Use the profile whose key somebody has on paper. @param {string} typed */
  async #useKey(typed) {
    const secret = parseKey(typed);
    if (!secret) throw new NotDone(text("profile.bad_key"));
    const before = this.me;
    before.stored.value = secret;
    const other = new Me(this.app);
    try {
      if (!(await other.open())) throw new NotDone(text("profile.unknown_key"));
    } catch (error) {
      before.stored.value = null;
      other.close();
      throw error;
    }
    before.close();
    this.me = other;
  }

  // --- With a profile ----------------------------------------------------------------

  /** @param {Profile} profile */
  #nameCard({ id, name, created_ms: created, streak }) {
    const rename = new NameField(name);
    const problem = new Problem();
    const facts = [
      text("profile.since", { day: momentText(created, "day") }),
      text("profile.id", { id }),
      streak ? text("gains.streak", { count: streak }) : "",
    ].filter(Boolean);
    return form(
      "",
      [
        h("h2.profile-name", { text: name }),
        h("p.soft", { text: facts.join(" \u00b7 ") }),
        rename.element,
        problem.element,
        submit("", "name.change"),
      ],
      () => {
        this.app.seats.name = rename.value;
        this.#do(() => this.me.ask(command.rename(rename.value)), problem);
      },
    );
  }

  /** @param {Profile} profile */
  #bestsCard({ bests }) {
    const heads = ["rules.size", "column.time", "chart.ao5", "chart.ao12"];
    const rows = bests.map(({ event, single_ms: single, ao5_ms: ao5, ao12_ms: ao12 }) => {
      const link = pageLink("plain-link", this.app, `?statistics=${encodeURIComponent(event)}`, formatSize(event));
      const cells = [single, ao5, ao12].map((ms) => h("td", { text: bestText(ms) }));
      return h("tr", {}, h("th", { scope: "row" }, link), ...cells);
    });
    const table = h(
      "table.figures",
      {},
      h("caption.visually-hidden", { text: text("profile.bests") }),
      h("thead", {}, h("tr", {}, ...heads.map((key) => h("th", { scope: "col", text: text(key) })))),
      h("tbody", {}, ...rows),
    );
    return h(
      "div.card",
      {},
      h("h2", { text: text("profile.bests") }),
      rows.length ? h("div.scroll", {}, table) : h("p.soft", { text: text("profile.no_bests") }),
    );
  }

  /** @param {Profile} profile */
  #devicesCard({ devices }) {
    const add = button("", text("profile.add_device"), () =>
      this.#do(() => this.#showTicket()),
    );
    return h(
      "div.card",
      {},
      h("h2", { text: text("profile.devices") }),
      h("ul.devices", {}, ...devices.map((device) => this.#device(device, devices.length))),
      add,
      this.ticket,
      this.#keyDetails(),
    );
  }

  /** @param {Device} device @param {number} count of all */
  #device({ id, name, used_ms: used, current }, count) {
    const sure = text(current ? "profile.revoke_own_sure" : "profile.revoke_sure");
    const revoke = confirmButton("quiet", text("profile.revoke"), sure, () =>
      this.#do(() => this.#revoke(id, current)),
    );
    revoke.setAttribute("aria-description", name);
    const isLast = count === 1;
    return h(
      "li",
      {},
      h(
        "span.device",
        {},
        h("strong", { text: name }),
        h("small.soft", {
          text: current
            ? text("profile.this_device")
            : text("profile.used", { day: momentText(used, "day") }),
        }),
      ),
      isLast ? null : revoke, // nobody could use the profile any more
    );
  }

  /** @param {number} device @param {boolean} isOwn */
  async #revoke(device, isOwn) {
    await this.me.ask(command.revoke(device));
    if (!isOwn) return;
    this.me.stored.value = null;
    this.me.close();
    this.me = new Me(this.app);
    await this.me.open();
  }

  /** Show what another device needs to use this profile. */
  async #showTicket() {
    const answer = await this.me.ask(command.deviceTicket());
    if (answer.t !== "ticket") return;
    const { href } = this.app.location;
    const base = isLoopback(href) ? await linkForOthers(this.app, null) : href;
    const minutes = Math.round(answer.in_ms / 60_000);
    const shown = [
      h("p", { text: text("profile.ticket_hint", { minutes }) }),
      h("p.code.ticket", { text: formatTicket(answer.ticket) }),
      ...(base ? scanned(base, answer.ticket) : []),
      button("", text("profile.ticket_done"), () => this.#do(() => this.#lookAgain())),
    ];
    fill(this.ticket, shown);
  }

  /** The other device may have been added by now. */
  async #lookAgain() {
    fill(this.ticket, []);
    this.me.close();
    await this.me.open();
  }

  #keyDetails() {
    const key = h("p.key");
    return h(
      "details.more",
      {
        on: {
          toggle: ({ target }) =>
            setText(key, target.open ? formatKey(this.me.secret) : ""),
        },
      },
      h("summary", { text: text("profile.show_key") }),
      h("p.soft.small", { text: text("profile.show_key_hint") }),
      key,
    );
  }

  /** @param {Profile} profile */
  #dataCard({ id, forget_at_ms: forgetAt }) {
    const exportAll = button("", text("profile.export"), () => this.#do(() => this.#export(id)));
    const forget = (/** @type {boolean} */ on) => this.#do(() => this.me.ask(command.forget(on)));
    const deletion =
      forgetAt === null
        ? [
            h("p.soft.small", { text: text("profile.delete_hint") }),
            confirmButton("", text("profile.delete"), text("profile.delete_sure"), () => forget(true)),
          ]
        : [
            h("p.problem", { text: text("profile.deleted_on", { when: momentText(forgetAt, "full") }) }),
            button("primary", text("profile.delete_cancel"), () => forget(false)),
          ];
    return h(
      "div.card",
      {},
      h("h2", { text: text("profile.data") }),
      h("p.soft.small", { text: text("profile.export_hint") }),
      exportAll,
      ...deletion,
    );
  }

  /** Save everything that the server knows of the profile. @param {string} id */
  async #export(id) {
    const path = `api/profiles/${encodeURIComponent(id)}/export`;
    const file = await this.app.get(path, (answer) => answer.blob(), this.me.secret);
    if (!(file instanceof Blob)) throw new NotDone(text("frame.try_again"));
    const href = URL.createObjectURL(file);
    const link = h("a", { href, download: `sliderace-${id}.zip` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(href), 60_000); // some browsers read it later
  }

  enter() {
    this.title.focus({ preventScroll: true });
    this.#load();
  }

  leave() {
    this.#left = true;
    this.me.close();
  }

  update() {}
}

/**
 * What another device scans.
 * @param {string} base the start page, where that device reaches it
 * @param {string} ticket
 */
function scanned(base, ticket) {
  const link = new URL(".?profile", base);
  link.hash = `claim=${ticket}`; // this part is never sent to a server
  const picture = h("div.qr", {}, qrPicture(link.href, text("profile.ticket_qr")));
  picture.dataset.link = link.href;
  return [h("p", { text: text("profile.ticket_scan") }), picture];
}

/** @param {string} look @param {string} key */
const submit = (look, key) => {
  const element = h("button", { type: "submit", text: text(key) });
  element.className = `button ${look}`;
  return element;
};

/**
 * @param {string} title its key; "": none
 * @param {HTMLElement[]} children
 * @param {() => void} act
 */
const form = (title, children, act) =>
  h(
    title || children[0].tagName === "H2" ? "form.card" : "form.stack",
    {
      on: {
        submit: (/** @type {SubmitEvent} */ event) => {
          event.preventDefault();
          act();
        },
      },
    },
    title ? h("h2", { text: text(title) }) : null,
    ...children,
  );

/** @param {string} label @param {string} example @param {string} [look] keys, and a class */
function field(label, example, look = "") {
  const id = newId("field");
  const input = h("input", {
    id,
    type: "text",
    maxlength: 64,
    placeholder: text(example),
    autocomplete: "off",
    autocapitalize: "characters",
    spellcheck: "false",
  });
  input.className = look;
  return { input, element: h("div.field", {}, h("label", { for: id, text: text(label) }), input) };
}
