// A growing tree, drawn on a canvas: nodes keep their order and glide to their places, so that the picture stays calm.

/**
 * @typedef {{id: number, move: string, parent: Node | null, children: Node[], value: number[] | null, resolved: boolean,
 *   opened: boolean, depth: number, collapsed: boolean, leaves: number, x: number, y: number, tx: number, ty: number,
 *   numbers: string, others: number[], cut: boolean, window: (number | null)[] | null}} Node
 */

const ROW = 46;
const COLUMN = 15;

export class Tree {
  /** @param {number} players */
  constructor(players) {
    this.players = players;
    /** @type {Map<number, Node>} */
    this.nodes = new Map();
    /** @type {Node | null} */
    this.root = null;
    /** @type {Node[]} the line of the present iteration */
    this.line = [];
    this.iteration = 0;
    /** @type {string[]} its moves */
    this.moves = [];
    this.depth = 0;
    /** States that were given up without a look. */
    this.cuts = 0;
  }

  /** @param {number} id @param {string} move @param {Node | null} parent @returns {Node} */
  make(id, move, parent) {
    const depth = parent ? parent.depth + 1 : 0;
    const [x, y] = parent ? [parent.x, parent.y] : [0, 0];
    return { id, move, parent, children: [], value: null, resolved: false, opened: false, depth, collapsed: false, leaves: 1,
      x, y, tx: x, ty: y, numbers: "", others: [], cut: false, window: null };
  }

  /** Takes in what one iteration has done. @param {any} growth a line of the growth file */
  grow(growth) {
    this.iteration = growth.iteration;
    this.moves = growth.line;
    if (!this.root && growth.visited.length) {
      this.root = this.make(growth.visited[0].state, "", null);
      this.nodes.set(this.root.id, this.root);
    }
    for (const opened of growth.opened) {
      const parent = this.nodes.get(opened.state);
      if (!parent) continue;
      parent.opened = true;
      parent.children = [];
      parent.others = [];
      for (const m of opened.moves) {
        if (!m.new && this.nodes.has(m.state)) {
          parent.others.push(m.state);
          this.set(m);
          continue;
        }
        const old = this.nodes.get(m.state);
        if (old?.parent) old.parent.children = old.parent.children.filter((c) => c !== old);
        const child = this.make(m.state, m.move, parent);
        parent.children.push(child);
        this.nodes.set(child.id, child);
        this.depth = Math.max(this.depth, child.depth);
        this.set(m);
      }
    }
    for (const now of growth.visited) this.set(now);
    for (const id of growth.cut || []) {
      const node = this.nodes.get(id);
      if (node && !node.cut) this.cuts += 1;
      if (node) node.cut = true;
    }
    this.line = growth.visited.map((/** @type {any} */ v) => this.nodes.get(v.state)).filter(Boolean);
  }

  /** @param {any} now */
  set(now) {
    const node = this.nodes.get(now.state);
    if (!node) return;
    node.value = now.value.length ? now.value : null;
    node.resolved = now.resolved;
    node.numbers = (now.numbers || []).map(effort).join(" ");
    node.window = now.window || null;
  }

  /** The moves from the root to a node. @param {Node} node */
  path(node) {
    const moves = [];
    for (let at = /** @type {Node | null} */ (node); at?.parent; at = at.parent) moves.unshift(at.move);
    return moves;
  }

  /** Gives every node its place: as wide as its leaves, one row per ply. */
  place() {
    if (!this.root) return 0;
    /** @type {Node[]} */
    const order = [];
    const stack = [this.root];
    while (stack.length) {
      const node = /** @type {Node} */ (stack.pop());
      order.push(node);
      if (!node.collapsed) for (const child of node.children) stack.push(child);
    }
    for (let i = order.length - 1; i >= 0; i -= 1) {
      const node = order[i];
      node.leaves = node.collapsed || !node.children.length ? 1 : node.children.reduce((sum, child) => sum + child.leaves, 0);
    }
    this.root.tx = (this.root.leaves * COLUMN) / 2;
    this.root.ty = ROW / 2;
    const starts = new Map([[this.root, 0]]);
    for (const node of order) {
      let at = /** @type {number} */ (starts.get(node));
      node.tx = (at + node.leaves / 2) * COLUMN;
      node.ty = node.depth * ROW + ROW / 2;
      if (node.collapsed) continue;
      for (const child of node.children) {
        starts.set(child, at);
        at += child.leaves;
      }
    }
    this.shown = order;
    return this.root.leaves * COLUMN;
  }
}

/** Draws a tree, and lets people move about in it. */
export class TreeView {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {import("./api.js").Colour[]} colours
   * @param {(node: Node) => void} select
   */
  constructor(canvas, colours, select) {
    this.canvas = canvas;
    this.colours = colours;
    this.select = select;
    /** @type {Tree | null} */
    this.tree = null;
    /** @type {Node | null} */
    this.chosen = null;
    this.zoom = 1;
    this.left = 0;
    this.top = 0;
    this.follows = true;
    this.frames = 0;
    this.calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.listen();
    this.observer = new ResizeObserver(() => this.ask());
    this.observer.observe(canvas);
  }

  /** @param {Tree} tree */
  show(tree) {
    if (this.tree !== tree) this.chosen = null;
    this.tree = tree;
    this.width = tree.place();
    this.ask();
  }

  ask() {
    this.asked ||= requestAnimationFrame(() => this.frame());
  }

  fit() {
    const { clientWidth: w, clientHeight: h } = this.canvas;
    const height = ((this.tree?.depth || 0) + 1) * ROW + 10;
    this.zoom = Math.min(2, Math.max(0.02, Math.min((w - 20) / Math.max(60, this.width || 1), 4)));
    this.stretch = Math.min(2.2, Math.max(0.25, (h - 16) / height));
    this.left = (w - (this.width || 0) * this.zoom) / 2;
    this.top = 4;
  }

  frame() {
    this.asked = 0;
    this.frames += 1;
    const tree = this.tree;
    const { canvas } = this;
    const scale = devicePixelRatio || 1;
    const [w, h] = [canvas.clientWidth, canvas.clientHeight];
    if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
      canvas.width = Math.round(w * scale);
      canvas.height = Math.round(h * scale);
    }
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, w, h);
    if (!tree?.shown) return;
    if (this.follows) this.fit();
    let moving = false;
    for (const node of tree.shown) {
      const [dx, dy] = [node.tx - node.x, node.ty - node.y];
      if (this.calm || Math.abs(dx) + Math.abs(dy) < 0.5) [node.x, node.y] = [node.tx, node.ty];
      else {
        node.x += dx * 0.25;
        node.y += dy * 0.25;
        moving = true;
      }
    }
    this.paint(context, tree, w, h);
    if (moving) this.ask();
  }

  /** @param {Node} node @returns {[number, number]} */
  at(node) {
    return [this.left + node.x * this.zoom, this.top + node.y * (this.stretch || 1)];
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Tree} tree
   * @param {number} w
   * @param {number} h
   */
  paint(context, tree, w, h) {
    const style = getComputedStyle(this.canvas);
    const [ink, quiet] = [style.getPropertyValue("--ink"), style.getPropertyValue("--edge")];
    const shown = /** @type {Node[]} */ (tree.shown);
    const visible = this.visible(shown, w, h);
    context.lineWidth = 1;
    context.strokeStyle = quiet;
    for (const cut of [false, true]) {
      context.setLineDash(cut ? [3, 4] : []);
      context.beginPath();
      for (const node of visible) {
        if (!node.parent || node.cut !== cut) continue;
        const [[x, y], [px, py]] = [this.at(node), this.at(node.parent)];
        context.moveTo(px, py);
        context.lineTo(x, y);
      }
      context.stroke();
    }
    context.setLineDash([]);
    context.strokeStyle = ink;
    context.lineWidth = 2.5;
    context.beginPath();
    tree.line.forEach((node, i) => context[i ? "lineTo" : "moveTo"](...this.at(node)));
    context.stroke();
    const size = Math.min(9, Math.max(1.6, (this.zoom * COLUMN) / 2.4));
    // By colour, so that a frame has a handful of fills and not thousands.
    /** @type {Map<string, Node[]>} */
    const groups = new Map();
    for (const node of visible) {
      if (node.cut) continue;
      const group = this.shade(node) + (node.resolved ? "!" : "");
      const list = groups.get(group);
      if (list) list.push(node);
      else groups.set(group, [node]);
    }
    for (const [group, nodes] of groups) {
      const resolved = group.endsWith("!");
      context.fillStyle = resolved ? group.slice(0, -1) : group;
      context.beginPath();
      for (const node of nodes) {
        const [x, y] = this.at(node);
        const r = node.opened || resolved ? size : size * 0.72;
        // What is resolved is square, what is open is round: not only the colour tells.
        if (resolved) context.rect(x - r, y - r, 2 * r, 2 * r);
        else {
          context.moveTo(x + r, y);
          context.arc(x, y, r, 0, 6.2832);
        }
      }
      context.fill();
      if (size > 3) {
        context.strokeStyle = ink;
        context.lineWidth = resolved ? 1.6 : 0.7;
        context.stroke();
      }
    }
    // What was cut is crossed out.
    context.strokeStyle = style.getPropertyValue("--bad");
    context.lineWidth = size > 3 ? 2 : 1;
    context.beginPath();
    for (const node of visible) {
      if (!node.cut) continue;
      const [x, y] = this.at(node);
      const r = size * 0.7;
      context.moveTo(x - r, y - r);
      context.lineTo(x + r, y + r);
      context.moveTo(x - r, y + r);
      context.lineTo(x + r, y - r);
    }
    context.stroke();
    if (this.zoom * COLUMN > 24) {
      context.fillStyle = ink;
      context.font = "11px system-ui, sans-serif";
      context.textAlign = "center";
      for (const node of visible) {
        const [x, y] = this.at(node);
        context.fillText(node.move, x, y - size - 3);
        context.fillText(valueText(node), x, y + size + 11);
      }
    }
    for (const node of visible) if (node.collapsed) {
      const [x, y] = this.at(node);
      context.fillStyle = ink;
      context.fillRect(x - 1, y + size, 2, 8);
    }
    if (this.chosen) {
      const [x, y] = this.at(this.chosen);
      context.strokeStyle = style.getPropertyValue("--focus");
      context.lineWidth = 3;
      context.beginPath();
      context.arc(x, y, size + 5, 0, 6.2832);
      context.stroke();
    }
  }

  /**
   * The nodes that can be seen: of those that would share a pixel, one. The list goes from right to left in every row.
   * @param {Node[]} shown
   * @param {number} w
   * @param {number} h
   */
  visible(shown, w, h) {
    const { left, top, zoom, stretch = 1 } = this;
    /** @type {number[]} */
    const last = [];
    const seen = [];
    for (const node of shown) {
      const [x, y] = [left + node.x * zoom, top + node.y * stretch];
      if (x < -60 || x > w + 60 || y < -60 || y > h + 60) continue;
      const pixel = Math.round(x * 0.8);
      if (last[node.depth] === pixel && !node.children.length) continue;
      last[node.depth] = pixel;
      seen.push(node);
    }
    return seen;
  }

  /** Whose the node is thought to be: that player's colour, the paler the less. @param {Node} node */
  shade(node) {
    if (!node.value) return "#b5b0a4";
    const best = node.value.reduce((top, v, i) => (v > /** @type {number[]} */ (node.value)[top] ? i : top), 0);
    const value = node.value[best];
    if (value <= 0.02) return "#b5b0a4";
    const share = Math.min(1, 0.25 + 0.75 * Math.min(1, value));
    const step = Math.round(share * 5) / 5;
    return mix(this.colours[best % this.colours.length].fill, step);
  }

  /** @param {number} x @param {number} y @returns {Node | null} */
  near(x, y) {
    let best = null;
    let least = 20 * 20;
    for (const node of this.tree?.shown || []) {
      const [nx, ny] = this.at(node);
      const far = (nx - x) ** 2 + (ny - y) ** 2;
      if (far < least) [least, best] = [far, node];
    }
    return best;
  }

  /** @param {Node | null} node */
  choose(node) {
    if (!node) return;
    this.chosen = node;
    this.select(node);
    this.ask();
  }

  listen() {
    const { canvas } = this;
    /** @type {{x: number, y: number, moved: boolean} | null} */
    let held = null;
    canvas.addEventListener("pointerdown", (event) => {
      held = { x: event.offsetX, y: event.offsetY, moved: false };
      if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!held) return;
      const [dx, dy] = [event.offsetX - held.x, event.offsetY - held.y];
      if (!held.moved && Math.abs(dx) + Math.abs(dy) < 5) return;
      held = { x: event.offsetX, y: event.offsetY, moved: true };
      this.follows = false;
      this.left += dx;
      this.top += dy;
      this.ask();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (held && !held.moved) this.choose(this.near(event.offsetX, event.offsetY));
      held = null;
    });
    canvas.addEventListener("dblclick", (event) => this.collapse(this.near(event.offsetX, event.offsetY)));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.magnify(event.deltaY < 0 ? 1.2 : 1 / 1.2, event.offsetX);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {number} by @param {number} [x] */
  magnify(by, x = this.canvas.clientWidth / 2) {
    this.follows = false;
    const zoom = Math.min(12, Math.max(0.01, this.zoom * by));
    this.left = x - ((x - this.left) * zoom) / this.zoom;
    this.zoom = zoom;
    this.ask();
  }

  /** @param {Node | null} node */
  collapse(node) {
    if (!node || !this.tree) return;
    node.collapsed = !node.collapsed;
    this.width = this.tree.place();
    this.ask();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const at = this.chosen || this.tree?.root || null;
    if (!at) return;
    const beside = (/** @type {number} */ by) => {
      const row = at.parent?.children || [];
      return row[row.indexOf(at) + by] || null;
    };
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowUp: () => this.choose(at.parent),
      ArrowDown: () => this.choose(at.children[0] || null),
      ArrowLeft: () => this.choose(beside(-1)),
      ArrowRight: () => this.choose(beside(1)),
      Enter: () => (this.chosen ? this.collapse(at) : this.choose(at)),
      "+": () => this.magnify(1.3),
      "-": () => this.magnify(1 / 1.3),
      0: () => { this.follows = true; this.ask(); },
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  leave() {
    this.observer.disconnect();
  }
}

/** @param {Node} node */
export function valueText(node) {
  if (node.numbers) return node.numbers;
  if (!node.value) return "";
  const text = (/** @type {number} */ v) => (Number.isInteger(v) ? String(v) : v.toFixed(2));
  const values = node.value.length === 2 && node.value[0] === -node.value[1] ? [node.value[0]] : node.value;
  return bound(node) + values.map(text).join(" ");
}

/** Of a value outside of its window only a bound is known. @param {Node} node */
function bound(node) {
  if (!node.window || !node.value || node.resolved) return "";
  const [alpha, beta] = node.window;
  if (alpha !== null && node.value[0] <= alpha) return "≤";
  return beta !== null && node.value[0] >= beta ? "≥" : "";
}

/** @param {Node} node */
export function windowText(node) {
  if (!node.window) return "";
  const [alpha, beta] = node.window;
  return `α = ${alpha ?? "−∞"}, β = ${beta ?? "∞"}`;
}

/** @param {string} fill @param {number} share */
function mix(fill, share) {
  const part = (/** @type {number} */ i) => Math.round(Number.parseInt(fill.slice(i, i + 2), 16) * share + 214 * (1 - share));
  return `rgb(${part(1)},${part(3)},${part(5)})`;
}

/** Proof and disproof numbers of a goal. @param {(number | null)[]} pair */
function effort(pair) {
  return pair.map((n) => (n === null ? "∞" : String(n))).join("/");
}
