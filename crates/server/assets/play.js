// Play: any game, each seat a person or a machine.

import { Job, catalog, post } from "./api.js";
import { here, write } from "./address.js";
import { Board } from "./board.js";
import { button, field, h, select, showError } from "./dom.js";
import { algorithmForm, gameForm, limitField } from "./forms.js";
import { chances, known, moveValues } from "./values.js";

/** @param {HTMLElement} main */
export async function show(main) {
  const all = await catalog();
  const place = here();
  const page = new Play(main, all, place.game || "connect-four:7x6", place);
  await page.go();
  return page;
}

class Play {
  /**
   * @param {HTMLElement} main
   * @param {import("./api.js").Catalog} all
   * @param {string} game
   * @param {import("./address.js").Place} place
   */
  constructor(main, all, game, place) {
    Object.assign(this, { main, all });
    this.main = main;
    this.all = all;
    this.game = game;
    this.start = place.position;
    this.moves = place.moves;
    this.seats = (place.rest.get("seats") || "").split("|").filter(Boolean);
    this.flipped = place.rest.get("flipped") === "1";
    this.analyses = place.rest.get("analysis") === "1";
    this.seed = Number(place.rest.get("seed")) || Math.floor(Math.random() * 1e6);
    this.board = new Board();
    this.status = h("p", { class: "status", role: "status", id: "status" });
    this.thought = h("p", { class: "quiet", id: "thought" });
    this.bar = h("div", { class: "bar", role: "img", "aria-label": "chances" });
    this.list = h("ol", { class: "moves", "aria-label": "Moves played", tabindex: "0" });
    this.trouble = h("div");
    this.side = h("div", { class: "panel" });
    /** @type {Job | null} */ this.thinking = null;
    /** @type {Job | null} */ this.looking = null;
    /** @type {any} */ this.position = null;
    this.entry = h("input", { type: "text", list: "legal", autocomplete: "off", size: 10, id: "entry" });
    this.legal = h("datalist", { id: "legal" });
    this.barAt = Infinity;
    this.lay();
  }

  lay() {
    const form = h("form", { class: "row", onsubmit: (/** @type {Event} */ e) => { e.preventDefault(); this.typed(); } },
      field("Move", this.entry), h("button", { type: "submit" }, "Play"), this.legal);
    const analysis = h("input", { type: "checkbox", id: "analysis", onchange: () => { this.analyses = analysis.checked; this.save(); this.look(); } });
    analysis.checked = this.analyses;
    this.setup = h("div", { class: "setup" });
    this.main.replaceChildren(
      h("h1", { class: "visually-hidden" }, "Play"),
      h("div", { class: "two" },
        h("section", { class: "stage", "aria-label": "Board" }, this.bar, this.board),
        h("section", { class: "side", "aria-label": "Game" },
          this.status, this.thought, this.trouble,
          h("div", { class: "row" },
            button("New game", () => this.restart(), { id: "new" }),
            button("Undo", () => this.undo(), { id: "undo" }),
            button("Hint", () => this.hint(), { id: "hint" }),
            button("Flip", () => { this.flipped = !this.flipped; this.go(); }, { id: "flip" })),
          form,
          h("div", { class: "row check" }, analysis, h("label", { for: "analysis" }, "Show what moves are worth")),
          this.list,
          h("div", { class: "row" },
            button("Copy address", (() => this.copy()), { id: "copy" }),
            h("a", { id: "to-analyse", href: "#/analyse" }, "Analyse this position")),
          this.setup)));
  }

  save() {
    const values = this.address();
    write("play", values);
    const link = /** @type {any} */ (this.main.querySelector("#to-analyse"));
    if (link) link.href = `#/analyse?${new URLSearchParams({ game: this.game, position: this.start, moves: this.moves.join(" ") })}`;
  }

  address() {
    return { game: this.game, position: this.start, moves: this.moves.join(" "), seats: this.seats.join("|"),
      flipped: this.flipped ? "1" : "", analysis: this.analyses ? "1" : "", seed: String(this.seed) };
  }

  at() {
    return { game: this.game, position: this.start || null, moves: this.moves };
  }

  /** Shows the position as it is now, and lets whoever is to move do so. */
  async go() {
    this.quiet();
    let position;
    try {
      position = await post("position", { ...this.at(), flipped: this.flipped });
    } catch (error) {
      showError(this.trouble, error);
      this.drawSetup();
      return;
    }
    this.trouble.replaceChildren();
    this.position = position;
    while (this.seats.length < position.players) this.seats.push(this.seats.length ? `l${this.all.usual_level}` : "p");
    this.seats.length = position.players;
    this.save();
    const mine = position.mover && this.seats[position.mover - 1] === "p";
    this.board.values = new Map();
    this.board.show(position, mine ? (move) => this.make(move) : null);
    this.legal.replaceChildren(...(mine ? position.moves.slice(0, 500) : []).map((/** @type {any} */ m) => h("option", { value: m.move })));
    this.entry.disabled = !mine;
    this.drawList();
    this.drawSetup();
    // What the last search said of the game holds until the next one; an end says all.
    if (position.ended) this.drawBar({ value: position.ended.gains });
    else if (this.moves.length < this.barAt) this.drawBar(null);
    this.thought.textContent = "";
    if (position.note) this.thought.textContent = position.note;
    if (position.ended) this.status.textContent = `Game over: ${position.ended.words}. Scores ${position.ended.scores.join(" : ")}.`;
    else if (mine) this.status.textContent = `${this.name(position.mover)} to move: it is your turn.`;
    else this.machine();
    this.main.dataset.moves = String(this.moves.length);
    this.main.dataset.state = position.ended ? "over" : mine ? "yours" : "thinking";
    if (mine) this.look();
  }

  /** @param {number} player */
  name(player) {
    const colour = this.position?.board.svg ? this.position.board.colours[player - 1]?.name : "";
    return colour ? `Player ${player} (${colour})` : `Player ${player}`;
  }

  /** @param {string} move */
  make(move) {
    this.moves = [...this.moves, move];
    return this.go();
  }

  typed() {
    const text = this.entry.value.trim();
    this.entry.value = "";
    if (text) this.try(text);
  }

  /** @param {string} text */
  async try(text) {
    const moves = this.moves;
    try {
      await post("position", { ...this.at(), moves: [...moves, text] });
    } catch (error) {
      return showError(this.trouble, error);
    }
    const exact = this.position.moves.find((/** @type {any} */ m) => m.move.toLowerCase() === text.toLowerCase());
    return this.make(exact ? exact.move : text);
  }

  async machine() {
    const seat = this.seats[this.position.mover - 1];
    this.status.textContent = `${this.name(this.position.mover)} is thinking …`;
    const moves = this.moves;
    const ask = { kind: "move", ...this.at(), seed: this.seed, ...machineOf(seat) };
    try {
      const begun = await Job.once(ask, (state, job) => {
        if (this.moves !== moves) return job.drop();
        if (state.report) {
          this.thought.textContent = known(state);
          this.drawBar(state.report);
        }
        if (state.error) showError(this.trouble, state.error);
        if (!state.running && state.move) this.make(state.move);
      });
      if (this.moves === moves) this.thinking = begun;
    } catch (error) {
      showError(this.trouble, error);
    }
  }

  /** What the moves are worth, if somebody wants to see it. */
  async look() {
    this.looking?.drop();
    this.looking = null;
    this.board.label(new Map());
    if (!this.analyses || !this.position?.mover) return;
    const ask = { kind: "analyse", ...this.at(), time: "3s" };
    const moves = this.moves;
    this.looking = await Job.once(ask, (state, job) => {
      if (this.moves !== moves || !this.analyses) return job.drop();
      if (!state.report) return;
      this.board.label(moveValues(state.report));
      this.thought.textContent = known(state);
      this.drawBar(state.report);
    }).catch((error) => (showError(this.trouble, error), null));
  }

  async hint() {
    if (!this.position?.mover) return;
    this.thought.textContent = "Looking …";
    await Job.begin({ kind: "analyse", ...this.at(), time: "1s" }, (state) => {
      if (state.running || !state.report) return;
      const report = state.report;
      this.thought.textContent = report.best_move ? `Hint: ${report.best_move}; ${known(state)}` : "No hint: the time was too short.";
      if (report.best_move) {
        const best = moveValues(report).get(report.best_move);
        this.board.label(new Map([[report.best_move, { text: best?.text === "?" || !best ? "★" : best.text, kind: best?.kind || "good" }]]));
      }
      this.drawBar(report);
    }).catch((error) => showError(this.trouble, error));
  }

  undo() {
    if (!this.moves.length) return;
    let length = this.moves.length - 1;
    const persons = (/** @type {number} */ i) => this.seats[(this.position.movers[i] || 1) - 1] === "p";
    while (length > 0 && !persons(length)) length -= 1;
    this.moves = this.moves.slice(0, length);
    this.go();
  }

  restart() {
    Object.assign(this, { moves: [], barAt: Infinity });
    this.seed = Math.floor(Math.random() * 1e6);
    this.go();
  }

  copy() {
    const text = location.href;
    navigator.clipboard?.writeText(text).then(() => (this.thought.textContent = "The address is copied: it holds game, position and moves."));
  }

  drawList() {
    const { movers } = this.position;
    this.list.replaceChildren(...this.moves.map((move, i) => {
      const item = h("li", {}, button(move, () => { this.moves = this.moves.slice(0, i + 1); this.go(); }, { class: "plain", title: `Player ${movers[i]}; go back to here` }));
      const colour = this.position.board.colours[movers[i] - 1];
      if (colour) item.style.setProperty("--player", colour.fill);
      return item;
    }));
    this.list.scrollTop = this.list.scrollHeight;
  }

  /** @param {any} report */
  drawBar(report) {
    const found = report && chances(report);
    if (report && !found) return;
    this.barAt = found ? this.moves.length : Infinity;
    const colours = this.position?.board.colours || [];
    const shares = found ? found.shares : [];
    this.bar.classList.toggle("known", Boolean(found));
    this.bar.setAttribute("aria-label", found
      ? `${found.sure ? "proved" : "guessed"} chances: ${shares.map((/** @type {number} */ p, /** @type {number} */ i) => `player ${i + 1} ${Math.round(p * 100)} %`).join(", ")}`
      : "chances: not known yet");
    if (!found) return this.bar.replaceChildren(h("span", { class: "quiet" }, "chances: not known yet"));
    this.bar.replaceChildren(...shares.map((/** @type {number} */ p, /** @type {number} */ i) => {
      const part = h("span", {}, p > 0.14 ? `${Math.round(p * 100)} %` : "");
      part.style.flexGrow = String(p);
      part.style.background = colours[i]?.fill || "";
      part.style.color = colours[i]?.ink || "";
      return part;
    }));
  }

  drawSetup() {
    const change = (/** @type {string} */ game) => {
      Object.assign(this, { game, moves: [], start: "", seats: [], barAt: Infinity });
      this.go();
    };
    const seats = this.seats.map((seat, i) => seatForm(this.all, i, seat, (text) => {
      this.seats[i] = text;
      this.save();
      this.go();
    }));
    const start = h("input", { type: "text", value: this.start, placeholder: "the usual start", onchange: () => { Object.assign(this, { start: start.value.trim(), moves: [], barAt: Infinity }); this.go(); } });
    const open = this.setup.querySelector("details.seats")?.open;
    this.setup.replaceChildren(
      gameForm(this.all, this.game, change),
      h("details", { class: "seats", open: open || false }, h("summary", {}, "Who plays"), seats),
      h("details", {}, h("summary", {}, "Begin at a position"), field("Position", start),
        this.position ? h("p", { class: "hint" }, "Now: ", h("code", {}, this.position.position)) : null));
  }

  quiet() {
    this.thinking?.drop();
    this.looking?.drop();
    this.thinking = null;
    this.looking = null;
  }

  leave() {
    this.quiet();
  }
}

/**
 * A seat as text: `p` a person, `l5` a level, `a:ubfm@1s` an algorithm with a limit.
 * @param {string} seat
 */
function machineOf(seat) {
  if (seat.startsWith("l")) return { level: Number(seat.slice(1)) };
  const [name, limit] = seat.slice(2).split("@");
  const nodes = /^\d+[kKmM]?$/.test(limit || "") ? limit : undefined;
  return { with: name, nodes, time: nodes ? undefined : limit || "1s" };
}

/**
 * @param {import("./api.js").Catalog} all
 * @param {number} index
 * @param {string} seat
 * @param {(seat: string) => void} change
 */
function seatForm(all, index, seat, change) {
  const levels = all.levels.map((l) => /** @type {[string, string]} */ ([`l${l.level}`, `Machine, level ${l.level} (${l.words})`]));
  const kind = seat.startsWith("a:") ? "a" : seat;
  const box = h("div", { class: "seat" });
  const choose = select([["p", "A person"], ...levels, ["a", "An algorithm …"]], kind, (value) => change(value === "a" ? "a:ubfm@1s" : value));
  box.append(field(`Player ${index + 1}`, choose));
  if (kind === "a") {
    const [name, limit = "1s"] = seat.slice(2).split("@");
    const form = algorithmForm(all, name, () => change(`a:${form.value()}@${limit}`), { none: "" });
    box.append(form.element, limitField("A move may take", limit, "1s or 10k nodes", (text) => change(`a:${form.value()}@${text}`)));
  }
  return box;
}
