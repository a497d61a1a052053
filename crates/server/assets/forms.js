// Forms for games, algorithms and their options, made from the server's tables: what is new there appears here by itself.

import { button, field, h, select } from "./dom.js";

/** @typedef {import("./api.js").Option} Option */
/** @typedef {import("./api.js").Catalog} Catalog */

/** A name in capitals is the form of a value that stands without its name. @param {Option} option */
const positional = (option) => /[A-Z]/.test(option.name);

/**
 * @param {Option} option
 * @param {string} given
 * @param {() => void} change
 */
function optionField(option, given, change) {
  const label = positional(option) ? option.name.toLowerCase() : option.name;
  const title = `${option.meaning} (default ${option.default})`;
  let input;
  if (option.kind === "switch") {
    input = select([["", `default: ${option.default}`], ["on", "on"], ["off", "off"]], given, change);
  } else if (option.kind === "choice") {
    const words = (option.choices || []).map((c) => /** @type {[string, string]} */ ([c.name, c.meaning ? `${c.name}: ${c.meaning}` : c.name]));
    // What is given may be more than a name: a model's, say.
    if (given && !words.some(([name]) => name === given)) words.push([given, given]);
    input = select([["", `default: ${option.default}`], ...words], given, change);
  } else {
    const number = option.kind === "whole" || option.kind === "fraction";
    const bounded = number && (option.max ?? Infinity) < 1e15;
    input = h("input", {
      type: number ? "number" : "text", value: given, placeholder: option.default, onchange: change, oninput: change,
      min: bounded ? option.min : undefined, max: bounded ? option.max : undefined, step: option.kind === "fraction" ? "any" : undefined,
    });
  }
  const row = field(label, input, title);
  row.append(h("span", { class: "hint" }, option.meaning));
  return { row, read: () => input.value.trim() };
}

/**
 * The text `name:value,key=value` split into its name and what is given.
 * @param {string} spec
 */
function parse(spec) {
  const [, name = "", rest = ""] = /^([^:(]*)[:(]?(.*?)\)?$/s.exec(spec) || [];
  /** @type {Record<string, string>} */
  const named = {};
  /** @type {string[]} */
  const bare = [];
  if (/^[[(]/.test(rest)) bare.push(rest);
  else
    for (const part of rest.split(",").filter(Boolean)) {
      const [key, value] = part.split("=", 2);
      if (value === undefined) bare.push(part);
      else named[key] = value;
    }
  return { name: name.trim(), named, bare };
}

/**
 * Fields for options, and the text that they make.
 * @param {Option[]} options
 * @param {ReturnType<typeof parse>} given
 * @param {() => void} change
 */
function optionFields(options, given, change) {
  const forms = options.filter(positional);
  const bare = forms.length === 1 ? [given.bare.join(",")] : given.bare;
  let place = 0;
  const fields = options.map((option) => ({
    option,
    ...optionField(option, positional(option) ? bare[place++] || "" : given.named[option.name] || "", change),
  }));
  const read = () => {
    const values = fields.map(({ option, read }) => ({ option, value: read() }));
    const last = values.filter(({ option }) => positional(option)).findLastIndex(({ value }) => value);
    const bare = values.filter(({ option }) => positional(option)).slice(0, last + 1).map(({ option, value }) => value || option.default);
    const named = values.filter(({ option, value }) => !positional(option) && value).map(({ option, value }) => `${option.name}=${value}`);
    return [...bare, ...named].join(",");
  };
  return { rows: fields.map((f) => f.row), read };
}

/**
 * Chooses a game with its parameters.
 * @param {Catalog} catalog
 * @param {string} spec
 * @param {(spec: string) => void} change
 */
export function gameForm(catalog, spec, change) {
  const given = parse(spec);
  const game = catalog.games.find((g) => g.name === given.name) || catalog.games[0];
  const names = catalog.games.map((g) => /** @type {[string, string]} */ ([g.name, g.name.replaceAll("-", " ")]));
  const choose = select(names, game.name, (name) => change((catalog.games.find((g) => g.name === name) || game).examples[0]));
  const fields = optionFields(game.parameters, given, () => {});
  const apply = button("Use these", () => {
    const text = fields.read();
    change(text ? `${game.name}:${text}` : game.name);
  });
  const examples = game.examples.map((e) => button(e, () => change(e), { class: "chip" }));
  return h("div", { class: "game-form" },
    field("Game", choose),
    h("details", {},
      h("summary", {}, "Board and rules: ", h("code", {}, spec || game.name)),
      h("div", { class: "chips" }, examples),
      h("div", { class: "options" }, fields.rows),
      fields.rows.length ? apply : null,
      h("p", {}, h("a", { href: `#/games/${game.name}` }, `The rules of ${game.name.replaceAll("-", " ")}`))));
}

/**
 * Chooses an algorithm with its options.
 * @param {Catalog} catalog
 * @param {string} spec
 * @param {() => void} change
 * @param {{label?: string, none?: string, only?: (name: string) => boolean}} [how]
 */
export function algorithmForm(catalog, spec, change, how = {}) {
  const listed = catalog.algorithms.filter((a) => !how.only || how.only(a.name));
  return namedForm(listed, spec, change, { label: "Algorithm", ...how });
}

/**
 * Chooses something with its options. `value()` is its text; empty means what suits the game.
 * @param {import("./api.js").Named[]} listed
 * @param {string} spec
 * @param {() => void} change
 * @param {{label: string, none?: string}} how
 */
export function namedForm(listed, spec, change, how) {
  const given = parse(spec);
  const place = h("div", { class: "options" });
  const details = h("details", {}, h("summary", {}, "Options"), place);
  const summary = h("p", { class: "hint" });
  let fields = { read: () => "" };
  let name = given.name;
  const refill = (/** @type {ReturnType<typeof parse>} */ with_) => {
    const algorithm = listed.find((a) => a.name === name);
    fields = optionFields(algorithm?.options || [], with_, change);
    place.replaceChildren(.../** @type {any} */ (fields).rows);
    details.hidden = !algorithm?.options.length;
    summary.textContent = algorithm?.summary || "";
  };
  const names = listed.map((a) => /** @type {[string, string]} */ ([a.name, a.name]));
  const none = how.none === undefined ? "what suits the game" : how.none;
  const choose = select(none ? [["", none], ...names] : names, name, (value) => {
    name = value;
    refill(parse(""));
    change();
  });
  refill(given);
  return {
    element: h("div", { class: "algorithm-form" }, field(how.label, choose), summary, details),
    value: () => {
      const text = fields.read();
      return name && text ? `${name}:${text}` : name;
    },
  };
}

/**
 * What is to be settled.
 * @param {string} chosen
 * @param {(value: string) => void} change
 */
export function objectiveField(chosen, change) {
  const words = /** @type {[string, string][]} */ ([["gain", "win, draw or loss"], ["score", "the score"], ["length", "how soon"]]);
  return field("Settle", select(words, chosen || "gain", change));
}

/**
 * A text field for a limit.
 * @param {string} label
 * @param {string} value
 * @param {string} placeholder
 * @param {(value: string) => void} change
 */
export function limitField(label, value, placeholder, change) {
  const input = h("input", { type: "text", value, placeholder, size: 8, onchange: () => change(input.value.trim()) });
  return field(label, input);
}
