// Games: the rules of each, a board to try, what is known, and which algorithms apply.

import { catalog, post } from "./api.js";
import { address, here } from "./address.js";
import { Board } from "./board.js";
import { button, h, showError } from "./dom.js";

/** @param {HTMLElement} main */
export async function show(main) {
  const all = await catalog();
  const { name } = here();
  if (!name) return list(main, all);
  return one(main, all, name);
}

/** @param {HTMLElement} main @param {import("./api.js").Catalog} all */
function list(main, all) {
  main.replaceChildren(h("h1", {}, "Games"), h("ul", { class: "cards" }, all.games.map((game) => h("li", { class: "card" },
    h("a", { href: `#/games/${game.name}` }, game.name.replaceAll("-", " ")),
    h("p", {}, game.summary), h("p", { class: "hint" }, `${game.players} players`)))));
  return null;
}

/** @param {HTMLElement} main @param {import("./api.js").Catalog} all @param {string} name */
async function one(main, all, name) {
  const listed = all.games.find((game) => game.name === name);
  if (!listed) return showError(main, `there is no game "${name}"`);
  const spec = listed.examples[0];
  const told = await post("game", { game: spec });
  const board = new Board();
  const where = h("p", { class: "status", role: "status" });
  /** @type {string[]} */
  let moves = [];
  const draw = async () => {
    const position = await post("position", { game: spec, moves });
    board.show(position, position.mover ? (move) => { moves = [...moves, move]; draw(); } : null);
    where.textContent = position.ended ? `Over: ${position.ended.words}.` : `Player ${position.mover} to move.`;
  };
  const algorithms = h("tbody");
  main.replaceChildren(
    h("p", {}, h("a", { href: "#/games" }, "All games")),
    h("h1", {}, name.replaceAll("-", " ")),
    h("p", {}, listed.summary),
    h("div", { class: "two" },
      h("section", { class: "stage", "aria-label": "A board to try" }, where, board,
        h("div", { class: "row" }, button("Back", () => { moves = moves.slice(0, -1); draw(); }), button("Start", () => { moves = []; draw(); })),
        h("p", { class: "row" }, ["play", "analyse", "watch", "prove"].map((page) => h("a", { href: address(page, { game: spec }) }, page[0].toUpperCase() + page.slice(1))))),
      h("section", { class: "side", "aria-label": "About the game" },
        h("h2", {}, "Rules"), ...rules(told.rules),
        h("h2", {}, "Facts"), h("p", {}, told.facts_text),
        h("h2", {}, "Parameters"), h("ul", {}, listed.parameters.map((p) => h("li", {}, h("code", {}, p.name), `: ${p.meaning} (default ${p.default})`))),
        h("div", { class: "chips" }, listed.examples.map((e) => h("a", { href: address("play", { game: e }) }, h("code", {}, e)))),
        told.solved.length ? h("h2", {}, "Solved here, with proofs") : "",
        told.solved.length ? solved(told.solved) : "",
        h("h2", {}, "Sources"), h("ul", {}, told.sources.map((/** @type {string} */ source) => h("li", {}, source))))),
    h("h2", {}, "Which algorithms apply"),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Algorithms" }, h("table", {}, h("thead", {}, h("tr", {}, ["Algorithm", "Applies", "What it is, or why not"].map((t) => h("th", { scope: "col" }, t)))), algorithms)));
  await draw();
  const tried = await post("applies", { game: spec, moves: [] });
  algorithms.replaceChildren(...tried.map((/** @type {any} */ a) => {
    const info = all.algorithms.find((x) => x.name === a.name);
    return h("tr", {}, h("td", {}, h("code", {}, a.name)), h("td", {}, a.applies ? "yes" : "no"), h("td", {}, a.applies ? info?.summary || "" : a.why));
  }));
  return null;
}

/** The rules are paragraphs, with code between fences. @param {string} text */
function rules(text) {
  return text.split(/```(?:text)?\n?/).flatMap((part, i) => i % 2
    ? [h("pre", { tabindex: "0" }, part)]
    : part.split(/\n\s*\n/).filter((p) => p.trim()).map((p) => h("p", {}, ...inline(p))));
}

/** @param {string} text */
function inline(text) {
  return text.split(/(`[^`]*`|\*\*[^*]*\*\*)/).map((part) =>
    part.startsWith("`") ? h("code", {}, part.slice(1, -1)) : part.startsWith("**") ? h("strong", {}, part.slice(2, -2)) : part);
}

/** @param {string[]} rows of a table as text */
function solved(rows) {
  const cells = rows.map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Solved" }, h("table", {},
    h("thead", {}, h("tr", {}, ["Game", "Options", "Value", "Nodes", "States in the proof"].map((t) => h("th", { scope: "col" }, t)))),
    h("tbody", {}, cells.map((c) => h("tr", {}, [0, 1, 2, 3, 5].map((i) => h("td", {}, ...inline(c[i] || ""))))))));
}
