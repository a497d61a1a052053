// Values of moves and positions in words: the same numbers as `--json`, told for who is to move.

/**
 * What a move is worth to the mover: what is proved is told from what is guessed.
 * @param {any} line of a report
 * @param {any} report
 * @returns {{text: string, long: string, kind: string, proved: boolean, number: number}}
 */
export function worth(line, report) {
  const me = (report.mover || 1) - 1;
  if (line.value && line.resolved) return exact(line.value[me], line.plies, report.objective);
  if (line.bounds) {
    const ends = [line.bounds.lower[me], line.bounds.upper[me]].sort((a, b) => a - b);
    const [low, high] = ends.map((end) => exact(end, null, report.objective).long);
    const sure = ends[0] > 0 ? "good" : ends[1] < 0 ? "bad" : "even";
    return { text: `${sign(ends[0])}…${sign(ends[1])}`, long: `${low} to ${high}`, kind: `${sure} proved`, proved: true, number: (ends[0] + ends[1]) / 2 };
  }
  if (line.value) {
    const value = line.value[me];
    return { text: guess(value), long: guess(value), kind: `${value > 0.05 ? "good" : value < -0.05 ? "bad" : "even"} guess`, proved: false, number: value };
  }
  return { text: "?", long: "not known", kind: "unknown", proved: false, number: -Infinity };
}

/** @param {number} value */
const sign = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0");

/** @param {number} value */
function guess(value) {
  const text = Math.abs(value) >= 10 ? Math.abs(value).toFixed(0) : Math.abs(value).toFixed(2);
  return `${value > 0 ? "+" : value < 0 ? "−" : ""}${text}`;
}

/**
 * @param {number} value
 * @param {number | null | undefined} plies
 * @param {string} objective
 */
function exact(value, plies, objective) {
  const kind = `${value > 0 ? "good" : value < 0 ? "bad" : "even"} proved`;
  const number = value;
  if (objective === "score") return { text: sign(value), long: sign(value), kind, proved: true, number };
  const word = value > 0 ? "win" : value < 0 ? "loss" : "draw";
  const soon = plies ? `${word} in ${plies}` : word;
  return { text: plies ? `${word[0].toUpperCase()}${plies}` : word, long: soon, kind, proved: true, number };
}

/**
 * The values of all moves, best first, to be written on a board.
 * @param {any} report
 */
export function moveValues(report) {
  /** @type {Map<string, {text: string, kind: string}>} */
  const values = new Map();
  for (const line of report?.moves || []) values.set(line.move, worth(line, report));
  return values;
}

/**
 * Shares of the players, from what is proved or guessed of the position; none if nothing is.
 * @param {any} report
 * @returns {{shares: number[], sure: boolean} | null}
 */
export function chances(report) {
  const value = report?.value || report?.estimate;
  if (!value) return null;
  if (report.value && report.objective === "score" && value.length === 2) {
    const won = Math.sign(value[0] - value[1]);
    return { shares: [(won + 1) / 2, (1 - won) / 2], sure: true };
  }
  const part = value.map((/** @type {number} */ v) => Math.min(1, Math.max(0, (v + 1) / 2)));
  const sum = part.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b, 0);
  const shares = sum > 0 ? part.map((/** @type {number} */ p) => p / sum) : part.map(() => 1 / part.length);
  return { shares, sure: Boolean(report.value) };
}

/**
 * What is known of the position, in a sentence.
 * @param {any} state of a job
 */
export function known(state) {
  const report = state.report;
  if (!report) return "";
  const by = report.algorithm === "opening-book" ? ", from the opening book" : report.proved_by ? ` by ${report.proved_by}` : "";
  if (report.status === "solved") return `${state.verdict}: proved${by}`;
  if (report.status === "bounds") return `${state.verdict}: proved so far`;
  if (report.estimate) {
    const me = (report.mover || 1) - 1;
    return `not solved; a guess for player ${me + 1}: ${guess(report.estimate[me])}`;
  }
  return "not solved";
}
