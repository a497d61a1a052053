// Prove: solve a position, write the proof, check it by the rules alone, and walk through it.

import { Job, catalog, post } from "./api.js";
import { here, write } from "./address.js";
import { Board } from "./board.js";
import { button, bytesText, field, grouped, h, secondsText, showError } from "./dom.js";
import { algorithmForm, gameForm, limitField, objectiveField } from "./forms.js";
import { known } from "./values.js";

/** @param {HTMLElement} main */
export async function show(main) {
  const page = new Prove(main, await catalog());
  await page.go();
  await page.resume();
  return page;
}

class Prove {
  /** @param {HTMLElement} main @param {import("./api.js").Catalog} all */
  constructor(main, all) {
    const place = here();
    this.main = main;
    this.all = all;
    this.game = place.game || "connect-four:4x4";
    this.start = place.position;
    this.moves = place.moves;
    this.objective = place.rest.get("for") || "gain";
    this.with = place.rest.get("with") || "";
    this.time = place.rest.get("time") || "60s";
    /** @type {string[]} moves since the position that is proved */
    this.walked = [];
    /** @type {Job | null} */
    this.job = null;
    this.board = new Board();
    this.trouble = h("div");
    this.verdict = h("p", { class: "status", role: "status", id: "verdict" }, "Not asked yet.");
    this.cost = h("p", { class: "quiet" });
    this.meter = h("div", { class: "meter", hidden: true }, h("span"));
    this.proof = h("div", { class: "proof" });
    this.setup = h("div", { class: "setup" });
    this.go_ = button("Solve and prove", () => this.solve(), { class: "main", id: "solve" });
    this.stop = button("Stop", () => this.job?.stop(), { id: "stop", disabled: true });
    main.replaceChildren(h("h1", { class: "visually-hidden" }, "Prove"),
      h("div", { class: "two" },
        h("section", { class: "stage", "aria-label": "Board" }, this.board),
        h("section", { class: "side", "aria-label": "Proof" }, this.verdict, this.meter, this.cost, this.trouble,
          h("div", { class: "row" }, this.go_, this.stop), this.proof, this.setup)));
  }

  at() {
    return { game: this.game, position: this.start || null, moves: this.moves };
  }

  async go() {
    write("prove", { game: this.game, position: this.start, moves: this.moves.join(" "), for: this.objective === "gain" ? "" : this.objective, with: this.with, time: this.time === "60s" ? "" : this.time });
    this.drawSetup();
    try {
      const position = await post("position", this.at());
      this.trouble.replaceChildren();
      this.board.show(position, position.mover ? (move) => { this.moves = [...this.moves, move]; this.forget(); this.go(); } : null);
    } catch (error) {
      showError(this.trouble, error);
    }
  }

  forget() {
    this.job?.drop();
    this.job = null;
    this.walked = [];
    this.proof.replaceChildren();
    this.verdict.textContent = "Not asked yet.";
    this.cost.textContent = "";
    this.stop.disabled = true;
  }

  ask() {
    return { kind: "solve", ...this.at(), for: this.objective, with: this.with, time: this.time, proof: true };
  }

  listener() {
    return (/** @type {any} */ state, /** @type {Job} */ job) => {
      this.job = job;
      this.hear(state);
    };
  }

  /** A proof that was begun before the page was loaded again goes on. */
  async resume() {
    this.job = await Job.resume(this.ask(), this.listener());
  }

  async solve() {
    this.forget();
    this.verdict.textContent = "Solving …";
    this.main.dataset.state = "solving";
    this.stop.disabled = false;
    try {
      this.job = await Job.begin(this.ask(), this.listener());
    } catch (error) {
      this.stop.disabled = true;
      this.verdict.textContent = "Not asked yet.";
      showError(this.trouble, error);
    }
  }

  /** @param {any} state */
  hear(state) {
    this.stop.disabled = !state.running;
    if (state.error) {
      this.main.dataset.state = "error";
      this.meter.hidden = true;
      return showError(this.trouble, state.error);
    }
    const report = state.report;
    const stopped = !state.running && report.status !== "solved" ? ` (stopped: ${report.stop})` : "";
    this.verdict.textContent = `${known(state)}${stopped}`;
    const share = state.progress?.share;
    this.meter.hidden = !state.running || typeof share !== "number";
    if (typeof share === "number") this.meter.firstChild.style.width = `${Math.round(share * 100)}%`;
    const counts = Object.entries(report.counts || {}).slice(0, 4).map(([k, v]) => `${k} ${grouped(/** @type {number} */ (v))}`);
    const depth = state.progress?.depth ? [`depth ${state.progress.depth}`] : [];
    this.cost.textContent = [`${grouped(report.nodes)} nodes`, secondsText(report.seconds), bytesText(report.bytes), ...depth, ...counts, state.running && state.phase ? state.phase : ""].filter(Boolean).join(" · ");
    if (!state.running) this.main.dataset.state = state.proof ? "proved" : "done";
    if (state.proof) this.drawProof(state);
    if (state.phase === "proved" && !this.walked.length) this.walk([]);
  }

  /** @param {any} state */
  drawProof(state) {
    const { proof } = state;
    const checked = proof.verdict;
    this.walkText = h("p", { role: "status" });
    this.proof.replaceChildren(
      h("div", { class: "card" },
        h("h2", {}, checked ? "Proved, and checked by the rules alone" : "The proof is being checked …"),
        checked ? h("ul", {}, proof.statements.map((/** @type {string} */ s) => h("li", {}, s))) : null,
        h("p", { class: "quiet" }, `${grouped(proof.states)} states, ${bytesText(proof.bytes)}, written in ${secondsText(proof.seconds)}${checked ? `, checked in ${secondsText(proof.checked_in)}` : ""}`),
        checked ? h("p", {}, h("a", { href: this.job?.download("proof"), download: "", id: "download" }, "Download the certificate"), " for ", h("code", {}, "perfectplay verify")) : null,
        checked ? h("h3", {}, "Why?") : null,
        checked ? h("p", { class: "hint" }, "Follow the proof on the board: where it knows what to play it does; answer with any move you like.") : null,
        this.walkText,
        checked ? h("div", { class: "row" }, button("From the beginning", () => this.walk([])), button("Back", () => this.walk(this.walked.slice(0, -1)))) : null));
  }

  /** Follows the proof. @param {string[]} moves */
  async walk(moves) {
    if (!this.job) return;
    try {
      const position = await this.job.walk(moves);
      this.walked = moves;
      const choice = position.choice;
      const line = moves.length ? `After ${moves.join(" ")}: ` : "";
      if (position.ended) this.walkText.textContent = `${line}the game is over: ${position.ended.words}.`;
      else if (choice) this.walkText.replaceChildren(`${line}player ${position.mover} plays `, button(choice, () => this.walk([...this.walked, choice]), { class: "main", id: "proof-move" }), " says the proof.");
      else this.walkText.textContent = `${line}player ${position.mover} may play anything; the proof has an answer.`;
      this.board.values = choice ? new Map([[choice, { text: "proof", kind: "good proved" }]]) : new Map();
      this.board.show(position, position.ended ? null : (move) => this.walk([...this.walked, move]));
    } catch (error) {
      showError(this.trouble, error);
    }
  }

  drawSetup() {
    const form = algorithmForm(this.all, this.with, () => (this.with = form.value()));
    const again = () => { this.forget(); this.go(); };
    const start = h("input", { type: "text", value: this.start, placeholder: "the usual start", onchange: () => { this.start = start.value.trim(); this.moves = []; again(); } });
    this.setup.replaceChildren(
      gameForm(this.all, this.game, (game) => { Object.assign(this, { game, start: "", moves: [] }); again(); }),
      form.element,
      h("div", { class: "row" }, objectiveField(this.objective, (value) => { this.objective = value; again(); }), limitField("Time", this.time, "60s", (value) => (this.time = value || "60s"))),
      h("details", {}, h("summary", {}, "Begin at a position"), field("Position", start)),
      this.moves.length ? button("Back to the start", () => { this.moves = []; again(); }) : "");
  }

  leave() {
    this.job?.drop();
  }
}
