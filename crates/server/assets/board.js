// A board that can be clicked at, and used with the keyboard alone.

import { h, s } from "./dom.js";

/**
 * @typedef {[number, number]} Cell
 * @typedef {{move: string, from: Cell[], to: Cell[]}} Move
 * @typedef {{text: string, kind: string}} Label
 */

/** @param {Cell} cell */
const key = (cell) => cell.join(",");

export class Board extends HTMLElement {
  constructor() {
    super();
    /** @type {any} */
    this.position = null;
    /** @type {Set<string>} */
    this.chosen = new Set();
    /** @type {Map<string, Label>} by move */
    this.values = new Map();
    /** @type {((move: string) => void) | null} */
    this.play = null;
    /** @type {[number, number] | false} where the focus was when the board was drawn anew */
    this.left = false;
  }

  /**
   * @param {any} position as the server tells it
   * @param {((move: string) => void) | null} play called with a move that was chosen; none if nobody may move
   */
  show(position, play) {
    const focused = document.activeElement;
    if (focused && focused !== document.body) this.left = this.contains(focused) && this.centre(focused.getAttribute("data-at") || "");
    this.position = position;
    this.play = play;
    this.chosen.clear();
    this.picture = h("div", { class: "picture" });
    this.picture.innerHTML = position.board.svg || "";
    this.choices = h("div", { class: "choices", role: "group", "aria-label": "Moves to choose from" });
    const legend = h("ul", { class: "legend", "aria-label": "Players" });
    for (const { colour, text } of position.board.legend) {
      const swatch = s("svg", { class: "swatch", viewBox: "0 0 16 16", "aria-hidden": "true" });
      swatch.append(s("circle", { cx: 8, cy: 8, r: 6.5, fill: colour.fill, stroke: "currentColor" }));
      legend.append(h("li", {}, swatch, text));
    }
    // Who is to move stands in the legend.
    const told = position.board.notes.filter((/** @type {string} */ note) => !/^\S+( \d)? to move$/.test(note));
    const notes = told.map((/** @type {string} */ note) => h("p", { class: "note" }, note));
    this.replaceChildren(this.picture, this.choices, ...(position.board.legend.length ? [legend] : []), ...notes);
    const svg = this.picture.querySelector("svg");
    if (svg) {
      svg.setAttribute("role", "group");
      svg.setAttribute("aria-label", `board of ${position.game}`);
      svg.addEventListener("click", (/** @type {any} */ event) => this.pick(event.target.closest(".cell")));
      svg.addEventListener("keydown", (/** @type {any} */ event) => this.key(event));
    }
    this.refresh();
    if (this.left && document.activeElement === document.body) this.nearest(this.left)?.focus({ preventScroll: true });
  }

  /** The cell that can be used nearest to a place: who plays with the keyboard stays at the board. @param {[number, number]} place */
  nearest([x, y]) {
    const far = (/** @type {Element} */ cell) => {
      const [cx, cy] = this.centre(cell.getAttribute("data-at") || "");
      return Math.hypot(cx - x, cy - y);
    };
    const cells = /** @type {any[]} */ ([...this.querySelectorAll(".cell[tabindex]")]);
    return cells.sort((a, b) => far(a) - far(b))[0];
  }

  /** @param {Map<string, Label>} values what moves are worth, to be written on the board */
  label(values) {
    this.values = values;
    this.refresh();
  }

  /** @param {string} at */
  cell(at) {
    return /** @type {any} */ (this.querySelector(`.cell[data-at="${at}"]`));
  }

  /** The moves that what was clicked so far may mean. @returns {Move[]} */
  candidates() {
    const moves = this.position?.moves || [];
    if (!this.chosen.size) return moves;
    return moves.filter((/** @type {Move} */ m) => {
      const cells = new Set([...m.from, ...m.to].map(key));
      return [...this.chosen].every((at) => cells.has(at));
    });
  }

  /** @param {any} cell */
  pick(cell) {
    if (!cell || !this.play) return;
    const at = cell.getAttribute("data-at");
    if (this.chosen.has(at)) this.chosen.clear();
    else {
      this.chosen.add(at);
      if (!this.candidates().length) {
        this.chosen.clear();
        this.chosen.add(at);
        if (!this.candidates().length) this.chosen.clear();
      }
    }
    this.settle();
  }

  /** Plays if only one move is meant, and asks which if several cannot be told apart by cells. */
  settle() {
    const all = this.chosen.size ? this.candidates() : [];
    const exact = all.filter((m) => new Set([...m.from, ...m.to].map(key)).size === this.chosen.size);
    const targets = new Set(all.flatMap((m) => [...m.from, ...m.to].map(key)));
    if (all.length === 1 && (!all[0].from.length || this.chosen.size > 1)) return this.choose(all[0].move);
    if (exact.length === 1 && this.chosen.size > 1) return this.choose(exact[0].move);
    this.refresh();
    // All that is left has the same cells: promotions, say, or different ways to the same square.
    const same = all.length > 1 && targets.size === this.chosen.size;
    const mixed = all.length > 1 && exact.length > 0;
    if (same || mixed) {
      const buttons = (same ? all : exact).map((m) => h("button", { type: "button", onclick: () => this.choose(m.move) }, m.move));
      this.choices.append(...buttons);
    }
  }

  /** @param {string} move */
  choose(move) {
    this.chosen.clear();
    this.play?.(move);
  }

  /** Marks what can be clicked at, and writes values upon it. */
  refresh() {
    const svg = this.querySelector("svg.board");
    this.choices?.replaceChildren();
    const all = this.candidates();
    if (this.choices && this.play) {
      const unseen = (this.position?.moves || []).filter((/** @type {Move} */ m) => !m.from.length && !m.to.length);
      for (const m of unseen.slice(0, 60)) {
        const value = this.values.get(m.move);
        const text = value ? [m.move, " ", h("span", { class: `value ${value.kind}` }, value.text)] : [m.move];
        this.choices.append(h("button", { type: "button", onclick: () => this.choose(m.move) }, ...text));
      }
    }
    if (!svg) return;
    svg.querySelectorAll(".mark").forEach((mark) => mark.remove());
    const movable = new Set(all.flatMap((m) => (this.chosen.size || !m.from.length ? [...m.from, ...m.to] : m.from).map(key)));
    let first = true;
    for (const cell of /** @type {NodeListOf<any>} */ (svg.querySelectorAll(".cell"))) {
      const at = cell.getAttribute("data-at");
      const usable = Boolean(this.play) && movable.has(at);
      const chosen = this.chosen.has(at);
      cell.classList.toggle("usable", usable);
      cell.classList.toggle("chosen", chosen);
      const what = `${cell.getAttribute("data-name")}, ${cell.getAttribute("data-what")}${chosen ? ", chosen" : ""}`;
      if (usable || chosen) {
        cell.setAttribute("role", "button");
        cell.setAttribute("aria-label", what);
        cell.setAttribute("tabindex", first ? "0" : "-1");
        first = false;
      } else for (const name of ["role", "tabindex", "aria-label"]) cell.removeAttribute(name);
    }
    const dots = this.chosen.size ? all.flatMap((m) => m.to.map(key)) : (this.position?.targets || []).map(key);
    if (this.play) for (const at of new Set(dots)) if (!this.chosen.has(at)) this.dot(svg, at);
    this.writeValues(svg, all);
  }

  /**
   * @param {Element} svg
   * @param {string} at
   */
  dot(svg, at) {
    const [x, y] = this.centre(at);
    svg.insertBefore(s("circle", { class: "mark dot", cx: x, cy: y, r: 5 }), svg.querySelector(".cell"));
  }

  /** @param {string} at @returns {[number, number]} */
  centre(at) {
    const cell = this.cell(at);
    const number = (/** @type {string} */ name) => Number(cell?.getAttribute(name) || 0);
    return [number("x") + number("width") / 2, number("y") + number("height") / 2];
  }

  /**
   * @param {Element} svg
   * @param {Move[]} moves
   */
  writeValues(svg, moves) {
    const written = new Set();
    for (const m of moves) {
      const value = this.values.get(m.move);
      // Where pieces move, the best value stands at the piece until it is chosen. Values come best first.
      const cells = m.from.length && !this.chosen.size ? m.from : m.to;
      const at = cells.length ? key(cells[0]) : "";
      if (!value || !at || written.has(at) || this.chosen.has(at)) continue;
      const better = moves.find((o) => o !== m && this.order(o) < this.order(m) && key((o.from.length && !this.chosen.size ? o.from : o.to)[0] || [-1, -1]) === at);
      if (better) continue;
      written.add(at);
      const [x, y] = this.centre(at);
      const width = Math.max(24, 7.6 * value.text.length + 7);
      const mark = s("g", { class: `mark value-mark ${value.kind}` });
      mark.append(s("rect", { x: x - width / 2, y: y - 9, width, height: 18, rx: 9 }));
      mark.append(s("text", { x, y: y + 4, "text-anchor": "middle", "font-size": 11 }, value.text));
      svg.insertBefore(mark, svg.querySelector(".cell"));
    }
  }

  /** @param {Move} m */
  order(m) {
    const place = [...this.values.keys()].indexOf(m.move);
    return place < 0 ? Infinity : place;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const cell = /** @type {any} */ (event.target);
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.pick(cell);
    }
    if (event.key === "Escape") {
      this.chosen.clear();
      return this.refresh();
    }
    const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!way) return;
    event.preventDefault();
    const [x, y] = this.centre(cell.getAttribute("data-at"));
    let best = null;
    let least = Infinity;
    for (const other of /** @type {NodeListOf<any>} */ (this.querySelectorAll(".cell[tabindex]"))) {
      const [ox, oy] = this.centre(other.getAttribute("data-at"));
      const [along, across] = [(ox - x) * way[0] + (oy - y) * way[1], Math.abs((ox - x) * way[1]) + Math.abs((oy - y) * way[0])];
      if (along <= 4 || other === cell) continue;
      const far = along + 2.5 * across;
      if (far < least) [least, best] = [far, other];
    }
    if (best) {
      cell.setAttribute("tabindex", "-1");
      best.setAttribute("tabindex", "0");
      best.focus();
    }
  }
}

customElements.define("pp-board", Board);
