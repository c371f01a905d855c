// One GET that a page shows: its last answer stays until the next one is there.
import {get} from './api.js';
import {redraw} from './store.js';

/** Answers of pages left a while ago, so that "back" shows something at once. */
const remembered = new Map();
const MOST_REMEMBERED = 40;

function remember(path, data) {
  remembered.delete(path);
  remembered.set(path, data);
  if (remembered.size > MOST_REMEMBERED) remembered.delete(remembered.keys().next().value);
}

export class Source {
  /** Undefined until the first answer. */
  data;
  /** The error of the last request, or null. */
  error = null;
  /** When the data came, by this browser's clock. */
  at = 0;
  #path;
  #abort = null;
  #every;
  #isHeld;

  /**
   * @param {string} path below api/
   * @param {{every?: number, isHeld?: () => boolean}} options how often to ask again in milliseconds, and when not to
   */
  constructor(path, {every = 0, isHeld = () => false} = {}) {
    this.#path = path;
    this.#every = every;
    this.#isHeld = isHeld;
    this.data = remembered.get(path);
  }

  get path() {
    return this.#path;
  }

  /** Whether the data is not that of the current path yet. */
  isBehind = false;

  /** Asks for another path; what was there stays until the answer comes. */
  go(path) {
    if (path === this.#path) return this.load();
    this.#path = path;
    this.isBehind = true;
    if (remembered.has(path)) this.#take(remembered.get(path));
    return this.load();
  }

  async load(maxAge = 0) {
    this.#abort?.abort();
    const abort = (this.#abort = new AbortController());
    const path = this.#path;
    try {
      const data = await get(path, abort.signal, maxAge);
      if (abort.signal.aborted) return;
      remember(path, data);
      this.at = Date.now();
      this.#take(data);
    } catch (error) {
      if (abort.signal.aborted) return;
      this.at = Date.now();
      this.error = error;
      redraw();
    } finally {
      if (this.#abort === abort) this.#abort = null;
    }
  }

  #take(data) {
    this.data = data;
    this.error = null;
    this.isBehind = false;
    redraw();
  }

  /** Asks again if it is time to. Called about once a second while the tab is visible. */
  tick() {
    if (!this.#every || this.#abort || this.#isHeld()) return;
    if (Date.now() - this.at >= this.#every) this.load(Math.floor(this.#every / 1_001));
  }

  set every(milliseconds) {
    this.#every = milliseconds;
  }

  stop() {
    this.#abort?.abort();
  }
}
