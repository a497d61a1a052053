// Analyse: what every move is worth, by one algorithm or several side by side.

import { Job, catalog, post } from "./api.js";
import { here, write } from "./address.js";
import { Board } from "./board.js";
import { button, bytesText, field, grouped, h, secondsText, showError } from "./dom.js";
import { algorithmForm, gameForm, limitField, objectiveField } from "./forms.js";
import { known, moveValues, worth } from "./values.js";

/** The algorithm that values all positions of a game, also where they repeat. */
const TABLE = "retrograde";
const MOST_POSITIONS = 1e7;

/** @param {HTMLElement} main */
export async function show(main) {
  const page = new Analyse(main, await catalog());
  await page.go();
  return page;
}

class Analyse {
  /**
   * @param {HTMLElement} main
   * @param {import("./api.js").Catalog} all
   */
  constructor(main, all) {
    const place = here();
    this.main = main;
    this.all = all;
    this.game = place.game || "connect-four:7x6";
    this.start = place.position;
    this.moves = place.moves;
    this.objective = place.rest.get("for") || "gain";
    this.time = place.rest.get("time") || "5s";
    this.with = place.rest.getAll("with").length ? (place.rest.get("with") || "").split("|") : [""];
    this.board = new Board();
    this.trouble = h("div");
    this.line = h("p", { class: "moveline", "aria-label": "Moves played" });
    this.columns = h("div", { class: "columns" });
    this.setup = h("div", { class: "setup" });
    /** @type {any[]} */
    this.looks = [];
    this.begun = 0;
    /** @type {Set<string>} games of which there can be a table of all positions */
    this.tables = new Set();
    main.replaceChildren(
      h("h1", { class: "visually-hidden" }, "Analyse"),
      h("div", { class: "two" },
        h("section", { class: "stage", "aria-label": "Board" }, this.board, this.line),
        h("section", { class: "side", "aria-label": "What moves are worth" }, this.trouble, this.columns, this.setup)));
  }

  at() {
    return { game: this.game, position: this.start || null, moves: this.moves };
  }

  save() {
    write("analyse", { game: this.game, position: this.start, moves: this.moves.join(" "), for: this.objective === "gain" ? "" : this.objective,
      time: this.time === "5s" ? "" : this.time, with: this.with.some(Boolean) || this.with.length > 1 ? this.with.join("|") : "" });
  }

  async go() {
    this.save();
    this.leave();
    const mine = (this.begun += 1);
    try {
      this.position = await post("position", this.at());
    } catch (error) {
      showError(this.trouble, error);
      return this.drawSetup();
    }
    if (mine !== this.begun) return;
    this.trouble.replaceChildren();
    this.board.values = new Map();
    this.board.show(this.position, this.position.mover ? (move) => { this.moves = [...this.moves, move]; this.go(); } : null);
    this.drawLine();
    this.drawSetup();
    this.looks = this.with.map((name, i) => this.look(name, i));
    this.columns.replaceChildren(...this.looks.map((look) => look.element));
    this.main.dataset.state = "looking";
    if (!this.position.mover) {
      this.columns.replaceChildren(h("p", { class: "status" }, `Game over: ${this.position.ended.words}.`));
      this.main.dataset.state = "over";
      return;
    }
    await Promise.all(this.looks.map((look) => look.begin()));
    if (this.tables.has(this.game)) return;
    const told = await post("game", { game: this.game });
    if (mine !== this.begun || !(told.facts.zero_sum && (told.facts.states ?? Infinity) <= MOST_POSITIONS)) return;
    this.tables.add(this.game);
    this.drawSetup();
  }

  drawLine() {
    const back = (/** @type {number} */ n) => () => { this.moves = this.moves.slice(0, n); this.go(); };
    const parts = this.moves.map((move, i) => button(move, back(i + 1), { class: "plain" }));
    this.line.replaceChildren(button("Start", back(0), { class: "plain" }), ...parts,
      ...(this.moves.length ? [button("Back", back(this.moves.length - 1), { id: "back" })] : []));
  }

  /**
   * One algorithm at work on the position.
   * @param {string} name
   * @param {number} index
   */
  look(name, index) {
    const head = h("h2", {}, name || "What suits the game");
    const verdict = h("p", { class: "verdict", role: "status" }, "Looking …");
    const table = h("tbody");
    const line = h("p", { class: "pv" });
    const cost = h("p", { class: "quiet" });
    const stop = button("Stop", () => look.job?.stop(), { class: "stop" });
    const element = h("article", { class: "look" }, h("div", { class: "row between" }, head, stop), verdict,
      h("table", { class: "values" }, h("caption", { class: "visually-hidden" }, "Values of the moves for who is to move"),
        h("thead", {}, h("tr", {}, ["Move", "Value", "Standing", "Visits"].map((t) => h("th", { scope: "col" }, t)))), table), line, cost);
    const turn = this.begun;
    const hear = (/** @type {any} */ state, /** @type {Job} */ job) => {
      if (turn !== this.begun) return job.drop();
      look.job = job;
      stop.hidden = !state.running;
      if (state.error) return showError(verdict, state.error);
      const report = state.report;
      verdict.textContent = known(state);
      table.replaceChildren(...(report.moves || []).map((/** @type {any} */ m) => {
        const value = worth(m, report);
        const go = button(m.move, () => { this.moves = [...this.moves, m.move]; this.go(); }, { class: "plain" });
        return h("tr", { class: m.move === report.best_move ? "best" : "" }, h("td", {}, go),
          h("td", {}, h("span", { class: `value ${value.kind}` }, value.long)),
          h("td", { class: "quiet" }, value.kind === "unknown" ? "" : value.proved ? "proved" : "guess"), h("td", { class: "number" }, m.visits === null ? "" : grouped(m.visits)));
      }));
      line.textContent = report.pv.length ? `Best line: ${report.pv.slice(0, 16).join(" ")}${report.pv.length > 16 ? " …" : ""}` : "";
      const counts = Object.entries(report.counts || {}).slice(0, 4).map(([k, v]) => `${k} ${grouped(/** @type {number} */ (v))}`);
      cost.textContent = [report.algorithm, `${grouped(report.nodes)} nodes`, secondsText(report.seconds), bytesText(report.bytes), ...counts, ...(report.notes || [])].join(" · ");
      if (index === 0) this.board.label(moveValues(report));
      element.dataset.running = String(state.running);
      if (!state.running && this.looks.every((l) => l.job && !l.job.running)) this.main.dataset.state = "done";
    };
    const begin = async () => {
      try {
        const ask = { kind: "analyse", ...this.at(), for: this.objective, time: this.time, with: name };
        look.job = await Job.once(ask, hear);
      } catch (error) {
        showError(verdict, error);
        stop.hidden = true;
        element.dataset.running = "false";
      }
    };
    const look = { element, begin, job: /** @type {Job | null} */ (null) };
    return look;
  }

  drawSetup() {
    const again = () => this.go();
    const forms = this.with.map((name, i) => {
      const form = algorithmForm(this.all, name, () => {}, { label: `Algorithm ${i + 1}` });
      const use = button("Use", () => { this.with[i] = form.value(); again(); });
      const remove = this.with.length > 1 ? button("Remove", () => { this.with.splice(i, 1); again(); }) : null;
      return h("div", { class: "seat" }, form.element, h("div", { class: "row" }, use, remove));
    });
    const start = h("input", { type: "text", value: this.start, placeholder: "the usual start", onchange: () => { this.start = start.value.trim(); this.moves = []; again(); } });
    const open = this.setup.querySelector("details.with")?.open;
    this.setup.replaceChildren(
      h("div", { class: "row" }, objectiveField(this.objective, (value) => { this.objective = value; again(); }),
        limitField("Time", this.time, "5s", (value) => { this.time = value || "5s"; again(); })),
      h("details", { class: "with", open: open || false }, h("summary", {}, "Algorithms side by side"), forms,
        h("div", { class: "row" }, this.with.length < 4 ? button("Add an algorithm", () => { this.with.push("ubfm"); again(); }, { id: "add" }) : null,
          this.with.length < 4 && this.tables.has(this.game) && !this.with.includes(TABLE) ? button("Add a table of all positions", () => { this.with.push(TABLE); again(); }, { id: "table" }) : null)),
      gameForm(this.all, this.game, (game) => { Object.assign(this, { game, moves: [], start: "" }); again(); }),
      h("details", {}, h("summary", {}, "Begin at a position"), field("Position", start),
        this.position ? h("p", { class: "hint" }, "Now: ", h("code", {}, this.position.position)) : null));
  }

  leave() {
    for (const look of this.looks) look.job?.drop();
    this.looks = [];
  }
}
