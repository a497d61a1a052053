// Train: a game is learned from nothing but its rules, with curves that grow.

import { Job, catalog, get } from "./api.js";
import { here, write } from "./address.js";
import { button, field, grouped, h, s, secondsText, showError } from "./dom.js";
import { gameForm, limitField, namedForm } from "./forms.js";

/** @param {HTMLElement} main */
export async function show(main) {
  const page = new Train(main, await catalog(), await get("learning"));
  await page.resume();
  return page;
}

/** @typedef {{name: string, points: [number, number][]}} Line */

const ASKED = "Choose a game and begin.";

class Train {
  /** @param {HTMLElement} main @param {import("./api.js").Catalog} all @param {import("./api.js").Learning} learning */
  constructor(main, all, learning) {
    const place = here();
    this.learning = learning;
    this.main = main;
    this.all = all;
    this.game = place.game || "connect-four:5x4";
    this.model = place.rest.get("model") || "tuples";
    this.with = place.rest.get("with") || "";
    this.time = place.rest.get("time") || "60s";
    this.games = place.rest.get("games") || "";
    this.exam = place.rest.get("exam") || "4";
    /** @type {Job | null} */
    this.job = null;
    this.trouble = h("div");
    this.told = h("p", { class: "status", role: "status" }, ASKED);
    this.cost = h("p", { class: "quiet" });
    this.meter = h("div", { class: "meter", hidden: true }, h("span"));
    this.curves = h("div", { class: "columns" });
    this.file = h("div");
    this.stop = button("Stop", () => this.job?.stop(), { id: "stop", disabled: true });
    this.setup = h("div", { class: "setup" });
    main.replaceChildren(h("h1", { class: "visually-hidden" }, "Train"),
      h("div", { class: "two" },
        h("section", { class: "side", "aria-label": "Curves" }, this.told, this.meter, this.cost, this.trouble, this.file, this.curves),
        h("section", { class: "side", "aria-label": "Training" },
          h("p", { class: "hint" }, "The program plays against itself and learns to tell good positions from bad ones. Now and then it sits an exam against players that never change."),
          h("div", { class: "row" }, button("Begin", () => this.begin(), { class: "main", id: "begin" }), this.stop), this.setup)));
    this.drawSetup();
  }

  save() {
    write("train", { game: this.game, model: this.model, with: this.with, time: this.time, games: this.games, exam: this.exam });
  }

  /** A training that was begun before the page was loaded again goes on. */
  async resume() {
    this.job = await Job.resume(this.ask(), (state, job) => this.hear(state, job));
  }

  ask() {
    return { kind: "train", game: this.game, moves: [], model: this.model, with: this.with, time: this.time, games: this.games, exam: Number(this.exam) || 0 };
  }

  async begin() {
    this.job?.drop();
    this.trouble.replaceChildren();
    this.file.replaceChildren();
    this.curves.replaceChildren();
    this.told.textContent = "The first games …";
    this.main.dataset.state = "learning";
    try {
      this.save();
      this.job = await Job.begin(this.ask(), (state, job) => this.hear(state, job));
      this.stop.disabled = !this.job.running;
    } catch (error) {
      this.told.textContent = ASKED;
      showError(this.trouble, error);
    }
  }

  /** @param {any} state @param {Job} job */
  hear(state, job) {
    this.stop.disabled = !state.running;
    if (state.error) return showError(this.trouble, state.error);
    const { game, model, method, count, points, done, stopped } = state.training;
    const how = state.running ? "" : stopped ? ", stopped" : ", done";
    this.told.textContent = `${game}: ${grouped(count.games)} games of self-play${how}`;
    this.meter.hidden = !state.running;
    this.meter.firstChild.style.width = `${Math.round(done * 100)}%`;
    this.cost.textContent = [model, method, `${grouped(count.evaluations)} evaluations`, `${grouped(count.examples)} examples`, secondsText(count.seconds)].join(" · ");
    this.drawCurves(points);
    this.main.dataset.state = state.running ? "learning" : "done";
    this.main.dataset.points = String(points.length);
    const seats = `p|a:ubfm:eval=learned:training-${job.number},decision=safest@1s`;
    if (!state.running) this.file.replaceChildren(h("p", {},
      h("a", { href: `#/play?${new URLSearchParams({ game, seats })}`, id: "play-it" }, "Play against it"), ", or ",
      h("a", { href: job.download("model"), download: "", id: "download" }, "download the model"), " for ",
      h("code", {}, `perfectplay play ${game} --with ubfm:eval=learned:FILE,decision=safest`)));
  }

  /** @param {any[]} points */
  drawCurves(points) {
    if (!points.length) return;
    const of = (/** @type {string} */ name, /** @type {(p: any) => number} */ value) => ({ name, points: points.map((p) => /** @type {[number, number]} */ ([p.seconds, value(p)])) });
    const opponents = (points.find((p) => p.scores.length)?.scores || []).map((/** @type {any} */ score) => score[0]);
    const against = (/** @type {string} */ name) => ({ name: `against ${name}`, points: points.flatMap((p) => p.scores.filter((/** @type {any} */ x) => x[0] === name).map((/** @type {any} */ x) => /** @type {[number, number]} */ ([p.seconds, 100 * x[1]]))) });
    this.curves.replaceChildren(
      ...(opponents.length ? [this.chart("Score in exams", "%", opponents.map(against), 100)] : []),
      this.chart("Error before learning", "", [of("error of the guesses", (p) => p.error)]),
      this.chart("Length of games", "plies", [of("plies a game", (p) => p.length)]),
      this.chart("Resolved states", "%", [of("share of the trees that is resolved", (p) => 100 * p.resolved)], 100));
  }

  /**
   * A chart over the seconds of learning.
   * @param {string} title
   * @param {string} unit
   * @param {Line[]} lines
   * @param {number} [most]
   */
  chart(title, unit, lines, most) {
    const [W, H, left, bottom, top] = [300, 180, 36, 26, 10];
    const all = lines.flatMap((line) => line.points);
    const end = Math.max(1e-3, ...all.map((p) => p[0]));
    const high = most || Math.max(1e-6, ...all.map((p) => p[1])) * 1.1;
    const x = (/** @type {number} */ v) => left + (v / end) * (W - left - 12);
    const y = (/** @type {number} */ v) => H - bottom - (Math.min(v, high) / high) * (H - bottom - top);
    const text = (/** @type {number} */ tx, /** @type {number} */ ty, /** @type {string} */ words, /** @type {string} */ anchor) =>
      s("text", { x: tx, y: ty, "text-anchor": anchor, "font-size": 11, fill: "currentColor" }, words);
    const short = (/** @type {number} */ v) => (v >= 10 || !v ? v.toFixed(0) : v.toFixed(high < 1 ? 2 : 1));
    const newest = lines.map((line) => `${line.name} ${line.points.length ? short(line.points[line.points.length - 1][1]) : "?"} ${unit}`.trim()).join(", ");
    const picture = s("svg", { class: "chart", viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `${title}; the newest: ${newest}` });
    for (const part of [0, 0.5, 1]) {
      picture.append(s("line", { class: "grid", x1: left, x2: W - 12, y1: y(high * part), y2: y(high * part) }));
      picture.append(text(left - 5, y(high * part) + 4, short(high * part), "end"), text(x(end * part), H - 8, part ? secondsText(end * part) : "0", part === 1 ? "end" : part ? "middle" : "start"));
    }
    lines.forEach((line, i) => {
      const { fill } = this.all.colours[i % this.all.colours.length];
      // Not only the colour tells lines apart.
      const dash = ["", "7 4", "2 3", "9 3 2 3"][i % 4];
      picture.append(s("polyline", { points: line.points.map((p) => `${x(p[0])},${y(p[1])}`).join(" "), fill: "none", stroke: fill, "stroke-width": 2.5, "stroke-dasharray": dash, "stroke-linejoin": "round" }));
      for (const p of line.points) picture.append(s("circle", { cx: x(p[0]), cy: y(p[1]), r: 2.6, fill }));
    });
    const legend = h("ul", { class: "legend" }, lines.map((line, i) => {
      const swatch = s("svg", { class: "swatch", viewBox: "0 0 16 16", "aria-hidden": "true" });
      swatch.append(s("circle", { cx: 8, cy: 8, r: 6.5, fill: this.all.colours[i % this.all.colours.length].fill, stroke: "currentColor" }));
      return h("li", {}, swatch, line.name);
    }));
    return h("figure", { class: "card" }, h("figcaption", {}, h("h2", {}, unit ? `${title}, ${unit}` : title)), picture, lines.length > 1 ? legend : "");
  }

  drawSetup() {
    const model = namedForm(this.learning.models, this.model, () => { this.model = model.value(); this.save(); }, { label: "What is trained", none: "" });
    const way = namedForm(this.learning.ways, this.with, () => { this.with = way.value(); this.save(); }, { label: "How" });
    const exam = h("input", { type: "number", min: 0, max: 20, value: this.exam, onchange: () => { this.exam = exam.value; this.save(); } });
    this.setup.replaceChildren(
      gameForm(this.all, this.game, (game) => { this.game = game; this.save(); this.drawSetup(); }),
      model.element, way.element,
      h("div", { class: "row" },
        limitField("Time", this.time, "60s", (value) => { this.time = value; this.save(); }),
        limitField("Games", this.games, "any", (value) => { this.games = value; this.save(); }),
        field("Exam games each", exam)));
  }

  leave() {
    // The training goes on: who comes back finds it.
  }
}
