// The address holds what is shown: the page, the game, the position, the moves.

/**
 * @typedef {{page: string, name: string, game: string, position: string, moves: string[], rest: URLSearchParams}} Place
 */

/** @returns {Place} */
export function here() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, name = ""] = path.split("/");
  const rest = new URLSearchParams(query);
  return {
    page: page || "play",
    name: decodeURIComponent(name),
    game: rest.get("game") || "",
    position: rest.get("position") || "",
    moves: (rest.get("moves") || "").split(" ").filter(Boolean),
    rest,
  };
}

/**
 * An address of a page.
 * @param {string} page
 * @param {Record<string, string | undefined | null>} values
 */
export function address(page, values) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value) query.set(key, value);
  const text = query.toString();
  return `#/${page}${text ? `?${text}` : ""}`;
}

/**
 * Writes what is shown into the address, without loading anything.
 * @param {string} page
 * @param {Record<string, string | undefined | null>} values
 */
export function write(page, values) {
  history.replaceState(null, "", address(page, values));
}
