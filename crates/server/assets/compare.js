// Compare: players against each other, with ratings and how sure they are; every game can be replayed.

import { Job, catalog, post } from "./api.js";
import { here, write } from "./address.js";
import { Board } from "./board.js";
import { button, field, grouped, h, s, secondsText, showError } from "./dom.js";
import { algorithmForm, gameForm } from "./forms.js";

/** @param {HTMLElement} main */
export async function show(main) {
  const page = new Compare(main, await catalog());
  await page.resume();
  return page;
}

class Compare {
  /** @param {HTMLElement} main @param {import("./api.js").Catalog} all */
  constructor(main, all) {
    const place = here();
    this.main = main;
    this.all = all;
    this.game = place.game || "connect-four:5x4";
    this.players = (place.rest.get("players") || "alpha-beta@nodes=2000|mcts@nodes=2000|random").split("|");
    this.rounds = place.rest.get("rounds") || "10";
    /** @type {Job | null} */
    this.job = null;
    this.trouble = h("div");
    this.told = h("p", { class: "status", role: "status" }, "Choose the players and begin.");
    this.table = h("div");
    this.games = h("div");
    this.board = new Board();
    this.replay = h("div", { class: "card", hidden: true });
    this.stop = button("Stop", () => this.job?.stop(), { id: "stop", disabled: true });
    this.setup = h("div", { class: "setup" });
    main.replaceChildren(h("h1", { class: "visually-hidden" }, "Compare"),
      h("div", { class: "two results" },
        h("section", { class: "side", "aria-label": "Results" }, this.told, this.trouble, this.table, this.games, this.replay),
        h("section", { class: "side", "aria-label": "Tournament" },
          h("div", { class: "row" }, button("Begin", () => this.begin(), { class: "main", id: "begin" }), this.stop), this.setup)));
    this.drawSetup();
  }

  save() {
    write("compare", { game: this.game, players: this.players.join("|"), rounds: this.rounds });
  }

  /** A tournament that was begun before the page was loaded again goes on. */
  async resume() {
    this.job = await Job.resume(this.ask(), (state) => this.hear(state));
  }

  ask() {
    return { kind: "tournament", game: this.game, moves: [], players: this.players, rounds: Number(this.rounds) || 10 };
  }

  async begin() {
    this.job?.drop();
    this.trouble.replaceChildren();
    this.told.textContent = "The first game …";
    try {
      this.main.dataset.state = "playing";
      this.save();
      this.job = await Job.begin(this.ask(), (state) => this.hear(state));
      this.stop.disabled = !this.job.running;
    } catch (error) {
      this.told.textContent = "Choose the players and begin.";
      showError(this.trouble, error);
    }
  }

  /** @param {any} state */
  hear(state) {
    this.stop.disabled = !state.running;
    if (state.error) return showError(this.trouble, state.error);
    const report = state.standings;
    this.told.textContent = `${report.game}: ${report.games} of ${report.planned} games${state.running ? "" : report.games < report.planned ? ", stopped" : ", all played"}`;
    this.main.dataset.state = state.running ? "playing" : "done";
    this.drawTable(report);
    this.drawGames(report, state.games);
  }

  /** @param {string} name @param {any} report */
  colour(name, report) {
    return this.all.colours[report.players.indexOf(name) % this.all.colours.length].fill;
  }

  /** @param {any} report */
  drawTable(report) {
    const percent = (/** @type {number} */ share) => `${(share * 100).toFixed(1)} %`;
    const rows = report.table.map((/** @type {any} */ row) => h("tr", {},
      h("td", { class: "name" }, this.dot(row.player, report), row.player), h("td", { class: "number" }, row.rating.toFixed(0)),
      h("td", { class: "number" }, `±${((row.rating_interval[1] - row.rating_interval[0]) / 2).toFixed(0)}`),
      ...[row.games, row.wins, row.draws, row.losses].map((n) => h("td", { class: "number" }, String(n))),
      h("td", { class: "number" }, percent(row.score)), h("td", { class: "number" }, secondsText(row.seconds)), h("td", { class: "number" }, grouped(row.nodes))));
    const heads = ["Player", "Rating", "±", "Games", "Won", "Drawn", "Lost", "Score", "Time a move", "Nodes a move"];
    this.table.replaceChildren(
      this.ratings(report),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Standings" }, h("table", {}, h("caption", { class: "visually-hidden" }, "Standings"), h("thead", {}, h("tr", {}, heads.map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, rows))),
      h("h2", {}, "Who met whom"),
      this.cross(report));
  }

  /** @param {string} name @param {any} report */
  dot(name, report) {
    const dot = s("svg", { class: "swatch", viewBox: "0 0 16 16", "aria-hidden": "true" });
    dot.append(s("circle", { cx: 8, cy: 8, r: 6, fill: this.colour(name, report) }));
    return dot;
  }

  /** Every player's score against every other. @param {any} report */
  cross(report) {
    const names = report.table.map((/** @type {any} */ row) => row.player);
    const index = (/** @type {string} */ name) => report.players.indexOf(name);
    const cell = (/** @type {string} */ a, /** @type {string} */ b) => {
      const pair = report.pairs.find((/** @type {any} */ p) => p.players.includes(index(a)) && p.players.includes(index(b)) && a !== b);
      if (!pair) return h("td", { class: "number quiet" }, a === b ? "·" : "");
      const mine = pair.players[0] === index(a) ? pair.score : 1 - pair.score;
      return h("td", { class: "number" }, `${(mine * pair.games).toFixed(1)} / ${pair.games}`);
    };
    return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Cross table" }, h("table", {},
      h("caption", { class: "visually-hidden" }, "Points against each other"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Points of"), names.map((/** @type {string} */ n) => h("th", { scope: "col" }, n)))),
      h("tbody", {}, names.map((/** @type {string} */ a) => h("tr", {}, h("th", { scope: "row" }, a), names.map((/** @type {string} */ b) => cell(a, b)))))));
  }

  /** Ratings with error bars. @param {any} report */
  ratings(report) {
    const ends = report.table.flatMap((/** @type {any} */ r) => r.rating_interval).filter(Number.isFinite);
    const [low, high] = [Math.min(-10, ...ends), Math.max(10, ...ends)];
    const x = (/** @type {number} */ v) => 16 + ((Math.min(high, Math.max(low, v)) - low) / (high - low)) * 428;
    const height = 34 * report.table.length + 8;
    const picture = s("svg", { class: "ratings", viewBox: `0 0 460 ${height}`, role: "img", "aria-label": "ratings with their 95 % intervals" });
    report.table.forEach((/** @type {any} */ row, /** @type {number} */ i) => {
      const [y, fill] = [34 * i + 26, this.colour(row.player, report)];
      picture.append(s("text", { x: 16, y: y - 9, "font-size": 12, fill: "currentColor" }, `${row.player}  ${row.rating >= 0 ? "+" : ""}${row.rating.toFixed(0)}`));
      picture.append(s("line", { x1: x(row.rating_interval[0]), x2: x(row.rating_interval[1]), y1: y, y2: y, stroke: fill, "stroke-width": 3, "stroke-linecap": "round" }));
      picture.append(s("circle", { cx: x(row.rating), cy: y, r: 5.5, fill, stroke: "currentColor" }));
    });
    return picture;
  }

  /** @param {any} report @param {any[]} games */
  drawGames(report, games) {
    const open = this.games.querySelector("details")?.open;
    const line = (/** @type {any} */ game) => {
      const names = game.seats.map((/** @type {number} */ p) => report.players[p]).join(" – ");
      return h("li", {}, button(`${names}: ${game.reason}`, () => this.show(game, names), { class: "plain" }));
    };
    this.games.replaceChildren(h("details", { open: open || false }, h("summary", {}, "The latest games"), h("ol", {}, games.map(line))));
  }

  /** @param {any} game @param {string} names */
  async show(game, names) {
    const moves = [...(game.opening || []), ...game.moves];
    let at = moves.length;
    const where = h("p", { role: "status" });
    const draw = async () => {
      const position = await post("position", { game: this.game, position: game.position || null, moves: moves.slice(0, at) });
      this.board.show(position, null);
      where.textContent = `${names}, move ${at} of ${moves.length}${at ? `: ${moves[at - 1]}` : ""}`;
    };
    const go = (/** @type {number} */ to) => () => { at = Math.max(0, Math.min(moves.length, to)); draw(); };
    this.replay.hidden = false;
    this.replay.replaceChildren(where, h("div", { class: "row" },
      button("Start", () => go(0)()), button("Back", () => go(at - 1)()), button("Next", () => go(at + 1)()), button("End", () => go(moves.length)())), this.board);
    await draw();
  }

  drawSetup() {
    const rows = this.players.map((text, i) => {
      const [name, limits = ""] = text.split("@");
      const form = algorithmForm(this.all, name, () => set(), { label: `Player ${i + 1}`, none: "" });
      const limit = h("input", { type: "text", value: limits, placeholder: "nodes=2000 or time=50ms", onchange: () => set() });
      const set = () => { this.players[i] = limit.value.trim() ? `${form.value()}@${limit.value.trim()}` : form.value(); this.save(); };
      const remove = this.players.length > 2 ? button("Remove", () => { this.players.splice(i, 1); this.save(); this.drawSetup(); }) : null;
      return h("div", { class: "seat" }, form.element, field("A move may take", limit), remove);
    });
    const rounds = h("input", { type: "number", min: 1, max: 500, value: this.rounds, onchange: () => { this.rounds = rounds.value; this.save(); } });
    this.setup.replaceChildren(
      gameForm(this.all, this.game, (game) => { this.game = game; this.save(); this.drawSetup(); }),
      field("Openings", rounds), ...rows,
      this.players.length < 8 ? button("Add a player", () => { this.players.push("ubfm@nodes=2000"); this.save(); this.drawSetup(); }) : "");
  }

  leave() {
    // The tournament goes on: who comes back finds it.
  }
}
