// The only place that talks to the server, apart from the stream in live.js.
import {parse} from './json.js';
import {shared} from './store.js';

/** Longer than the server takes to notice that the database does not answer. */
const PATIENCE = 15_000;

export class ApiError extends Error {
  /** @param {number} status of HTTP, or 0 if nobody answered */
  constructor(status, title, detail) {
    super(detail || title);
    this.status = status;
    this.title = title;
  }

  /** Whether the node or its database is away, rather than that the request is wrong. */
  get isOutage() {
    return this.status === 0 || this.status >= 500;
  }
}

let whenAnswered = () => {};

/** The callback gets null after each good answer, and the error after each outage. */
export function onAnswer(callback) {
  whenAnswered = callback;
}

export const url = (path) => new URL(`api/${path}`, document.baseURI);

/** Builds "path?a=1&b=2" and leaves out what is null or empty. */
export function withQuery(path, parameters) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** @param {number} maxAge in seconds: an answer that the server gave to another tab may be as old as that */
export const get = (path, signal, maxAge = 0) => request('GET', path, undefined, signal, maxAge);

export async function post(path, body = {}) {
  try {
    return await request('POST', path, body);
  } catch (error) {
    // The token may belong to a session that has ended meanwhile.
    if (error.status !== 403 || !shared.me?.csrf) throw error;
    const token = shared.me.csrf.token;
    shared.me = await get('me');
    if (!shared.me.csrf || shared.me.csrf.token === token) throw error;
    return request('POST', path, body);
  }
}

async function request(method, path, body, signal, maxAge) {
  // Spring Security refuses a request of a script plainly: else the browser itself would ask for a password.
  const headers = {Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest'};
  if (maxAge) headers['Cache-Control'] = `max-age=${maxAge}`;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (method === 'POST' && shared.me?.csrf) headers[shared.me.csrf.header] = shared.me.csrf.token;
  const limit = AbortSignal.timeout(PATIENCE);
  try {
    const response = await fetch(url(path), {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
      cache: 'no-store',
    });
    const answer = await read(response);
    whenAnswered(null);
    return answer;
  } catch (error) {
    if (signal?.aborted) throw error;
    const told = error instanceof ApiError ? error : new ApiError(0, 'No answer', 'The node does not answer.');
    if (told.isOutage || told.status === 401) whenAnswered(told);
    throw told;
  }
}

async function read(response) {
  const isJson = /[/+]json/.test(response.headers.get('Content-Type') ?? '');
  if (response.status === 401 || (response.redirected && !isJson)) {
    throw new ApiError(401, 'Signed out', 'You are signed out. Load the page again to sign in.');
  }
  if (response.status === 204) return null;
  const body = isJson ? parse(await response.text()) : null;
  if (!response.ok) {
    throw new ApiError(
      response.status,
      body?.title ?? `HTTP ${response.status}`,
      body?.detail ?? refusal(response.status),
    );
  }
  return body;
}

function refusal(status) {
  if (status === 403) return 'You may not do this.';
  if (status === 404) return 'There is no such thing, or not any more.';
  if (status >= 500) return `The node answers with an error (HTTP ${status}).`;
  return `The server refused this (HTTP ${status}).`;
}
