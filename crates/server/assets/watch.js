// Watch: how a search grows its tree, step by step or at speed.

import { Job, catalog, post } from "./api.js";
import { here, write } from "./address.js";
import { Board } from "./board.js";
import { button, field, grouped, h, showError } from "./dom.js";
import { algorithmForm, gameForm, limitField, objectiveField } from "./forms.js";
import { Tree, TreeView, valueText, windowText } from "./tree.js";

/** @param {HTMLElement} main */
export async function show(main) {
  const page = new Watch(main, await catalog());
  await page.go();
  return page;
}

class Watch {
  /** @param {HTMLElement} main @param {import("./api.js").Catalog} all */
  constructor(main, all) {
    const place = here();
    this.main = main;
    this.all = all;
    this.game = place.game || "tic-tac-toe";
    this.start = place.position;
    this.moves = place.moves;
    this.objective = place.rest.get("for") || "gain";
    this.nodes = place.rest.get("nodes") || "2000";
    this.with = (place.rest.get("with") || "ubfm").split("|");
    this.speed = 6;
    /** @type {any[]} */
    this.views = [];
    this.at = 0;
    this.playing = true;
    /** @type {Set<string> | null} algorithms that tell how their trees grow here */
    this.growing = null;
    this.trouble = h("div");
    this.trees = h("div", { class: "trees" });
    this.told = h("p", { class: "status", role: "status" });
    this.seek = h("input", { type: "range", min: 0, max: 0, value: 0, oninput: () => { this.playing = false; this.to(Number(this.seek.value)); } });
    this.pause = button("Pause", () => { this.playing = !this.playing; if (this.at >= this.longest()) this.to(0); this.drawControls(); }, { id: "pause" });
    const speed = h("input", { type: "range", min: 0, max: 12, value: this.speed, oninput: () => (this.speed = Number(speed.value)) });
    this.node = h("aside", { class: "card", "aria-label": "The chosen node" }, h("p", { class: "quiet" }, "Click a node, or use the arrow keys in the tree, to see its board."));
    this.board = new Board();
    this.setup = h("div", { class: "setup" });
    main.replaceChildren(
      h("h1", { class: "visually-hidden" }, "Watch"),
      this.trouble,
      this.trees,
      h("div", { class: "panel-line" },
        button("Step back", () => this.step(-1), { id: "step-back" }), this.pause, button("Step", () => this.step(1), { id: "step" }),
        h("div", { class: "grow" }, field("Iteration", this.seek)), h("div", {}, field("Speed", speed))),
      this.told,
      h("div", { class: "two" }, this.node, this.setup));
    this.drawSetup();
    this.tick();
  }

  async go() {
    this.clear();
    write("watch", { game: this.game, position: this.start, moves: this.moves.join(" "), with: this.with.join("|"), nodes: this.nodes, for: this.objective === "gain" ? "" : this.objective });
    this.drawSetup();
    this.trouble.replaceChildren();
    this.at = 0;
    this.playing = true;
    this.main.dataset.state = "growing";
    try {
      this.position = await post("position", this.place());
      this.views = this.with.map((name) => this.view(name));
      this.trees.replaceChildren(...this.views.map((view) => view.element));
      await Promise.all(this.views.map((view) => view.begin()));
      const applies = await post("applies", this.place());
      this.growing = new Set(applies.filter((/** @type {any} */ a) => a.grows).map((/** @type {any} */ a) => a.name));
      this.drawSetup();
    } catch (error) {
      showError(this.trouble, error);
    }
    this.drawControls();
  }

  place() {
    return { game: this.game, position: this.start || null, moves: this.moves };
  }

  /** One search and its tree. @param {string} name */
  view(name) {
    const canvas = h("canvas", { tabindex: "0", role: "img", "aria-label": `the tree of ${name}; arrow keys go from node to node` });
    const about = h("span", { class: "quiet" });
    const painter = new TreeView(canvas, this.all.colours, (node) => this.chosen(view, node));
    const element = h("figure", { class: "tree" }, canvas,
      h("figcaption", { class: "panel-line" }, h("strong", {}, name), about,
        h("span", { class: "zoom" },
          button("+", () => painter.magnify(1.4), { "aria-label": "Larger" }), button("−", () => painter.magnify(1 / 1.4), { "aria-label": "Smaller" }),
          button("Fit", () => { painter.follows = true; painter.ask(); }))));
    /** @type {any} */
    const view = { name, element, painter, about, lines: /** @type {any[]} */ ([]), tree: new Tree(this.position.players), shown: 0, job: null, done: false, fetching: false };
    view.begin = async () => {
      const ask = { kind: "watch", ...this.place(), with: name, nodes: this.nodes, for: this.objective };
      view.job = await Job.once(ask, (state, job) => {
        view.job = job;
        if (!this.views.includes(view)) return job.drop();
        this.hear(view, state);
      });
    };
    return view;
  }

  /** @param {any} view @param {any} state */
  async hear(view, state) {
    view.state = state;
    if (state.error) return showError(this.trouble, state.error);
    if (view.fetching) return;
    view.fetching = true;
    while (view.lines.length < view.state.lines) view.lines.push(...(await view.job.growth(view.lines.length)));
    view.fetching = false;
    view.done = !view.state.running;
    this.drawControls();
  }

  longest() {
    return Math.max(0, ...this.views.map((view) => view.lines.length));
  }

  /** Shows the trees as they were after so many iterations. @param {number} at */
  to(at) {
    this.at = Math.max(0, Math.min(at, this.longest()));
    for (const view of this.views) {
      const goal = Math.min(this.at, view.lines.length);
      if (goal < view.shown) {
        const chosen = view.painter.chosen;
        view.tree = new Tree(this.position.players);
        view.shown = 0;
        view.painter.show(view.tree);
        view.painter.chosen = chosen && view.tree.nodes.get(chosen.id);
      }
      if (goal === view.shown) continue;
      while (view.shown < goal) view.tree.grow(view.lines[view.shown++]);
      view.painter.show(view.tree);
    }
    this.drawControls();
  }

  /** @param {number} by */
  step(by) {
    this.playing = false;
    this.to(this.at + by);
  }

  tick() {
    this.timer = setTimeout(() => this.tick(), 80);
    if (!this.playing || this.at >= this.longest()) return;
    // From one iteration in a second to two thousand.
    this.due = (this.due || 0) + 0.08 * 2 ** (this.speed * 0.92);
    const whole = Math.floor(this.due);
    this.due -= whole;
    if (whole) this.to(this.at + whole);
  }

  drawControls() {
    this.seek.max = String(this.longest());
    this.seek.value = String(this.at);
    this.pause.textContent = this.playing && this.at < this.longest() ? "Pause" : "Play";
    const all = this.views;
    for (const view of all) {
      const root = view.tree.root;
      const state = root ? `${valueText(root)}${root.resolved ? ", resolved" : ""}` : "";
      const stop = view.done ? ` · ${stopWords(view.state.report?.stop)}` : " · searching";
      view.about.textContent = `${grouped(view.tree.nodes.size)} nodes${view.tree.cuts ? `, ${grouped(view.tree.cuts)} of them cut` : ""} · root ${state}${stop}`;
      view.element.dataset.nodes = String(view.tree.nodes.size);
      view.element.dataset.cuts = String(view.tree.cuts);
      view.element.dataset.frames = String(view.painter.frames);
    }
    const line = all[0]?.tree.moves.join(" ");
    this.told.textContent = this.at ? `Iteration ${grouped(this.at)} of ${grouped(this.longest())}${line ? `: ${line}` : ""}` : "The tree begins with its root.";
    if (all.length && all.every((v) => v.done) && this.at >= this.longest()) this.main.dataset.state = "done";
  }

  /** @param {any} view @param {import("./tree.js").Node} node */
  async chosen(view, node) {
    const moves = view.tree.path(node);
    const value = node.value ? node.value.map((v) => (Number.isInteger(v) ? v : v.toFixed(3))).join(" : ") : "?";
    try {
      const position = await post("position", { ...this.place(), moves: [...this.moves, ...moves] });
      this.board.show(position, null);
      this.node.replaceChildren(
        h("p", {}, h("strong", {}, moves.length ? moves.join(" ") : "the root"), ` · by player: ${value} · `, node.cut ? "cut: whoever can avoid the state above will" : node.resolved ? "resolved" : "open",
          node.window ? ` · ${windowText(node)}` : "", node.numbers ? ` · ${node.numbers}` : "", node.others.length ? ` · ${node.others.length} moves lead to states met before` : ""),
        h("div", { class: "row" }, button(node.collapsed ? "Unfold" : "Fold", () => { view.painter.collapse(node); this.chosen(view, node); })),
        this.board);
    } catch (error) {
      showError(this.node, error);
    }
  }

  drawSetup() {
    const forms = this.with.map((name) => algorithmForm(this.all, name, () => {}, { label: "Search", none: "", only: (n) => !this.growing || this.growing.has(n) }));
    const grow = () => { this.with = forms.map((form) => form.value()); this.go(); };
    const both = () => {
      const [name, rest = ""] = this.with[0].split(":");
      const options = rest.split(",").filter((o) => o && !o.startsWith("completion"));
      this.with = [[name, options.join(",")].filter(Boolean).join(":"), `${name}:${[...options, "completion=off"].join(",")}`];
      this.go();
    };
    const stuck = () => Object.assign(this, { game: "script:[1,[3]]", start: "", moves: [], objective: "score", with: ["ubfm", "ubfm:completion=off"], nodes: "1000" }) && this.go();
    const cuts = () => Object.assign(this, { game: "script:[[3,12,8],[2,4,6],[14,5,2]]", start: "", moves: [], objective: "score", with: ["minimax", "plain-alpha-beta"], nodes: "1000" }) && this.go();
    this.setup.replaceChildren(
      gameForm(this.all, this.game, (game) => { Object.assign(this, { game, start: "", moves: [] }); this.go(); }),
      ...forms.map((form) => form.element),
      h("div", { class: "row" }, objectiveField(this.objective, (value) => (this.objective = value)), limitField("States", this.nodes, "2000", (value) => (this.nodes = value || "2000"))),
      h("div", { class: "row" },
        button("Grow", grow, { class: "main", id: "grow" }),
        button("With and without completion", both, { id: "both" }),
        button("Where the basic algorithm is stuck", stuck, { id: "stuck" }),
        button("What alpha-beta cuts", cuts, { id: "cuts" })),
      this.with.length > 1 ? button("One search only", () => { this.with = [this.with[0]]; this.go(); }) : "",
      h("p", { class: "hint" }, "Square nodes are resolved, round ones open; the colour is that of the player who is ahead; what alpha-beta cuts is crossed out. Drag to move, wheel to zoom, double-click to fold."));
  }

  clear() {
    for (const view of this.views) {
      view.job?.drop();
      view.painter.leave();
    }
    this.views = [];
  }

  leave() {
    this.clear();
    clearTimeout(this.timer);
  }
}

/** @param {string | null | undefined} stop */
function stopWords(stop) {
  return { done: "done", nodes: "as many states as asked for", stalled: "stuck: no iteration will ever change anything", cancelled: "stopped", time: "time is up", memory: "memory is full" }[stop || ""] || "";
}
