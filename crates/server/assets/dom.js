// Making elements, and small texts.

/**
 * An element with attributes and children; what begins with "on" is a listener.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function h(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key === "value") /** @type {any} */ (element).value = value;
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * The same for pictures.
 * @param {string} name
 * @param {Record<string, any>} [attributes]
 * @param {...any} children
 * @returns {any}
 */
export function s(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...children);
  return element;
}

let labels = 0;

/**
 * A labelled field.
 * @param {string} text
 * @param {any} input
 * @param {string} [title]
 */
export function field(text, input, title) {
  input.id ||= `field-${(labels += 1)}`;
  return h("div", { class: "field", title }, h("label", { for: input.id }, text), input);
}

/**
 * @param {string} text
 * @param {() => void} press
 * @param {Record<string, any>} [attributes]
 */
export function button(text, press, attributes = {}) {
  return h("button", { type: "button", onclick: press, ...attributes }, text);
}

/**
 * @param {[string, string][]} options value and text
 * @param {string} chosen
 * @param {(value: string) => void} change
 */
export function select(options, chosen, change) {
  const element = h("select", { onchange: () => change(element.value) });
  for (const [value, text] of options) element.append(h("option", { value, selected: value === chosen }, text));
  element.value = chosen;
  return element;
}

/** @param {number} number */
export const grouped = (number) => Math.round(number).toLocaleString("en");

/** @param {number} bytes */
export function bytesText(bytes) {
  const units = ["B", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < 3) [bytes, unit] = [bytes / 1024, unit + 1];
  return `${unit ? bytes.toFixed(1) : bytes} ${units[unit]}`;
}

/** @param {number} seconds */
export const secondsText = (seconds) =>
  seconds < 1 ? `${(seconds * 1000).toFixed(0)} ms` : seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.floor(seconds / 60)} min`;

/**
 * Shows a refusal where somebody looks for it.
 * @param {HTMLElement} place
 * @param {any} error
 */
export function showError(place, error) {
  place.replaceChildren(h("p", { class: "error", role: "alert" }, String(error?.message || error)));
}
