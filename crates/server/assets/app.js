// Which page the address names.

import { here } from "./address.js";
import { h, showError } from "./dom.js";

/** @type {Record<string, () => Promise<{show: (main: HTMLElement) => Promise<any>}>>} */
const pages = {
  play: () => import("./play.js"),
  analyse: () => import("./analyse.js"),
  watch: () => import("./watch.js"),
  prove: () => import("./prove.js"),
  compare: () => import("./compare.js"),
  train: () => import("./train.js"),
  games: () => import("./games.js"),
};

/** @type {any} */
let shown = null;
let turn = 0;

async function route() {
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  const { page } = here();
  const mine = (turn += 1);
  shown?.leave?.();
  shown = null;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#/${page}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${page[0].toUpperCase()}${page.slice(1)} · perfectplay`;
  const load = pages[page];
  if (!load) return main.replaceChildren(h("h1", {}, "There is no such page"), h("p", {}, h("a", { href: "#/play" }, "Play")));
  main.replaceChildren(h("p", { class: "quiet" }, "Loading …"));
  try {
    const made = await (await load()).show(main);
    if (mine === turn) shown = made;
    else made?.leave?.();
  } catch (error) {
    showError(main, error);
  }
  main.dataset.page = page;
}

document.querySelector(".skip")?.addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main")?.focus();
});
// Nothing here should ever break the page's own policy; if something does, tests see it.
document.addEventListener("securitypolicyviolation", () => (document.documentElement.dataset.violations = "1"));
addEventListener("hashchange", route);
route();
