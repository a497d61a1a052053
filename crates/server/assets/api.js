// Talking to the server: plain requests, and the one stream of events.

/**
 * @typedef {{name: string, meaning: string, default: string, optional: boolean, kind: string, min?: number, max?: number,
 *   choices?: {name: string, meaning: string}[]}} Option
 * @typedef {{name: string, summary: string, players: string, examples: string[], parameters: Option[]}} Game
 * @typedef {{name: string, summary: string, players: string, exact: boolean, options: Option[]}} Algorithm
 * @typedef {{name: string, summary: string, options: Option[]}} Named
 * @typedef {{name: string, fill: string, ink: string}} Colour
 * @typedef {{games: Game[], algorithms: Algorithm[], levels: {level: number, words: string}[], usual_level: number,
 *   colours: Colour[], version: string, limits: any}} Catalog
 * @typedef {{ways: Named[], models: Named[]}} Learning
 * @typedef {{game: string, position?: string | null, moves: string[]}} At
 */

/** A refusal of the server: one sentence. */
export class Refusal extends Error {}

/**
 * @param {Response} response
 * @returns {Promise<any>}
 */
async function answer(response) {
  const told = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw new Refusal(told.error || `the server answered ${response.status}`);
  return told;
}

/**
 * @param {string} path
 * @param {any} body
 */
export async function post(path, body) {
  return answer(await fetch(`api/${path}`, { method: "POST", body: JSON.stringify(body) }));
}

/** @param {string} path */
export async function get(path) {
  return answer(await fetch(`api/${path}`));
}

/** @type {Promise<Catalog> | null} */
let asked = null;

/** All games, algorithms and levels; asked for once. */
export function catalog() {
  asked ||= get("catalog");
  return asked;
}

// The session: its name is kept for this tab, so that a page that is loaded again finds its searches.
let session = "";
/** @type {Map<number, (state: any) => void>} */
const listeners = new Map();
/** @type {Map<number, any>} */
const states = new Map();
/** @type {(() => void)[]} */
let waiting = [];
/** @type {EventSource | null} */
let stream = null;

function connect() {
  const known = sessionStorage.getItem("session");
  stream = new EventSource(known ? `api/events?session=${known}` : "api/events");
  stream.addEventListener("session", (event) => {
    session = event.data;
    if (session !== known) sessionStorage.removeItem("asked");
    sessionStorage.setItem("session", session);
    document.documentElement.dataset.session = "open";
    clearTimeout(silent);
    silent = undefined;
    notice("");
    for (const resolve of waiting.splice(0)) resolve();
  });
  stream.addEventListener("job", (event) => {
    const { job, state } = JSON.parse(event.data);
    states.set(job, state);
    listeners.get(job)?.(state);
  });
  // Where many pages are open, streams take turns; where the server is gone, somebody should know.
  stream.addEventListener("again", () => again(20));
  stream.onerror = () => {
    silent ||= setTimeout(() => notice("The server does not answer; trying again …"), 3000);
    again(1000);
  };
}

/** @type {any} */
let silent;

/** @param {number} wait milliseconds */
function again(wait) {
  stream?.close();
  setTimeout(connect, wait);
}

// A page that the browser only puts aside must not keep one of its few connections; it listens again when it comes back.
addEventListener("pagehide", () => stream?.close());
addEventListener("pageshow", (event) => {
  if (event.persisted && stream) connect();
});

/** @param {string} text */
function notice(text) {
  const place = document.getElementById("connection");
  if (place) {
    place.textContent = text;
    place.hidden = !text;
  }
}

async function ready() {
  if (!stream) connect();
  if (!session) await new Promise((resolve) => waiting.push(() => resolve(undefined)));
}

function nextNumber() {
  const number = Number(sessionStorage.getItem("job") || 0) + 1;
  sessionStorage.setItem("job", String(number));
  return number;
}

/** Which jobs this tab has asked for, by what was asked: a page that is loaded again finds them. @returns {[string, number][]} */
const remembered = () => JSON.parse(sessionStorage.getItem("asked") || "[]");

/** @param {[string, number][]} asked the newest last */
const remember = (asked) => sessionStorage.setItem("asked", JSON.stringify(asked.slice(-8)));

/** Something that takes long: hears of its state until it is over. */
export class Job {
  /** @param {number} number */
  constructor(number) {
    this.number = number;
    this.running = true;
  }

  /**
   * Begins a job.
   * @param {any} ask
   * @param {(state: any, job: Job) => void} hear
   */
  static async begin(ask, hear) {
    await ready();
    const job = new Job(nextNumber());
    job.listen(hear);
    try {
      await post("begin", { session, job: job.number, ...ask });
    } catch (error) {
      listeners.delete(job.number);
      job.running = false;
      throw error;
    }
    remember([...remembered(), [JSON.stringify(ask), job.number]]);
    return job;
  }

  /**
   * Goes on listening to a job that an earlier load of this page has begun, if there is one and the server still knows it.
   * @param {any} ask
   * @param {(state: any, job: Job) => void} hear
   */
  static async resume(ask, hear) {
    await ready();
    const text = JSON.stringify(ask);
    const number = remembered().findLast(([asked]) => asked === text)?.[1];
    if (!number) return null;
    const job = new Job(number);
    const known = await job.growth(Number.MAX_SAFE_INTEGER).catch(() => null);
    if (!known) return null;
    job.listen(hear);
    if (states.has(number)) listeners.get(number)?.(states.get(number));
    return job;
  }

  /**
   * Goes on with the same job if an earlier load of this page has begun it, and begins it otherwise.
   * @param {any} ask
   * @param {(state: any, job: Job) => void} hear
   */
  static async once(ask, hear) {
    return (await Job.resume(ask, hear)) || Job.begin(ask, hear);
  }

  /** @param {(state: any, job: Job) => void} hear */
  listen(hear) {
    listeners.set(this.number, (state) => {
      this.running = state.running;
      hear(state, this);
    });
  }

  /** Stops it; the last state still comes. */
  async stop() {
    if (this.running) await post("stop", { session, job: this.number }).catch(() => {});
  }

  /** Stops it and hears no more. */
  drop() {
    listeners.delete(this.number);
    states.delete(this.number);
    remember(remembered().filter(([, number]) => number !== this.number));
    this.stop();
  }

  /** @param {number} from */
  growth(from) {
    return get(`growth?session=${session}&job=${this.number}&from=${from}`);
  }

  /** @param {"proof" | "model"} what */
  download(what) {
    return `api/${what}?session=${session}&job=${this.number}`;
  }

  /** @param {string[]} moves */
  walk(moves) {
    return post("walk", { session, job: this.number, moves });
  }
}
