// Keeps the overview (and one job, if a page asks for it) current: by the server's stream, else by asking.
// Knows whether what is shown is current, and says so when it is not.
import {get, onAnswer, url} from './api.js';
import {parse} from './json.js';
import {redraw, shared} from './store.js';

/** After this long without figures the reader must know; three looks of the server may fail before. */
const staleAfter = () => Math.max(5_000, 3 * lookEvery());
const lookEvery = () => Math.max(1_000, shared.me?.pollMs ?? 0);
const ASK_EVERY_WHEN_STALE = 3_000;
const OPEN_STREAM_AGAIN_AFTER = 30_000;

export const live = {
  /** What is wrong, for people; null while all is current. */
  problem: null,
  /** When the last overview came, by this browser's clock. */
  freshAt: Date.now(),
};

let stream = null;
let streamClosedAt = 0;
let watched = null;
let askedAt = 0;
let isAsking = false;
let lastError = null;
let whenRecovered = () => {};
let whenJob = () => {};

export function startLive({recovered}) {
  whenRecovered = recovered;
  onAnswer((error) => {
    lastError = error;
    if (error?.status !== 401) return;
    // The stream began before the session ended, and would go on saying that all is well.
    close();
    setProblem(error.message);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) return close();
    live.freshAt = Date.now();
    open();
    whenRecovered();
  });
  if (!document.hidden) open();
}

/** Follows one job too. A tab has one stream, so the stream is opened anew. */
export function watchJob(id, callback) {
  whenJob = callback;
  if (id === watched) return;
  watched = id;
  if (!document.hidden) open();
}

/** The page of a job says this when it is left; the next page may follow another one already. */
export function unwatchJob(id) {
  if (watched === id) watchJob(null, () => {});
}

/** About once a second while the tab is visible. */
export function tickLive() {
  const silence = Date.now() - live.freshAt;
  const isStale = silence > staleAfter();
  if (isStale) {
    if (!isStreaming() || lastError) setProblem(lastError?.message ?? 'The node does not answer.');
    else setProblem('The node sends no figures.');
  }
  if (!stream && Date.now() - streamClosedAt > OPEN_STREAM_AGAIN_AFTER) open();
  const askEvery = isStale ? ASK_EVERY_WHEN_STALE : lookEvery();
  if ((isStale || !isStreaming()) && Date.now() - askedAt >= askEvery) ask();
}

const isStreaming = () => stream?.readyState === EventSource.OPEN;

function open() {
  close();
  stream = new EventSource(url(watched ? `stream?job=${encodeURIComponent(watched)}` : 'stream'));
  stream.addEventListener('overview', (event) => take(parse(event.data)));
  stream.addEventListener('job', (event) => whenJob(parse(event.data)));
  stream.onerror = () => {
    // The browser opens a broken stream again by itself, but not one that was refused.
    if (stream?.readyState === EventSource.CLOSED) close();
  };
}

function close() {
  stream?.close();
  stream = null;
  streamClosedAt = Date.now();
}

async function ask() {
  if (isAsking) return;
  isAsking = true;
  askedAt = Date.now();
  try {
    take(await get('overview'));
  } catch {
    // onAnswer has it.
  } finally {
    isAsking = false;
  }
}

/** Also for a page that asked for the overview on its own. */
export function take(overview) {
  shared.overview = overview;
  shared.skew = Date.parse(overview.at) - Date.now();
  live.freshAt = Date.now();
  lastError = null;
  if (live.problem) {
    live.problem = null;
    whenRecovered();
    // After an outage of the node the stream may wait for long before it tries again.
    if (!isStreaming()) open();
  }
  redraw();
}

function setProblem(text) {
  if (live.problem === text) return;
  live.problem = text;
  redraw();
}
