// The URL is the whole state of a page: links are ordinary links, and "back" works.

let routes = [];
let whenChanged = () => {};

/** Where the reader was on a page, by the key of its entry in the history. */
const scrolled = new Map();
let entry = history.state?.key ?? newKey();

function newKey() {
  return Math.random().toString(36).slice(2);
}

/**
 * @param {Array<{path: RegExp, page: Function}>} table the first that matches wins
 * @param {(route: object) => void} changed
 */
export function startRouter(table, changed) {
  routes = table;
  whenChanged = changed;
  history.scrollRestoration = 'manual';
  history.replaceState({...history.state, key: entry}, '');
  addEventListener('popstate', () => {
    scrolled.set(entry, scrollY);
    entry = history.state?.key ?? newKey();
    whenChanged(route('back'));
  });
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href]');
    if (!link || !isPlainClick(event) || link.target || link.hasAttribute('download')) return;
    if (!link.href.startsWith(document.baseURI) || /^(api|assets)\//.test(below(link))) return;
    event.preventDefault();
    go(link.href);
  });
  whenChanged(route('start'));
}

const isPlainClick = (event) =>
  event.button === 0 && !event.defaultPrevented && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;

const below = (location) => location.href.slice(document.baseURI.length);

/** Goes to a path such as "jobs?q=state%3Adead". */
export function go(path, {replace = false} = {}) {
  const target = new URL(path, document.baseURI);
  scrolled.set(entry, scrollY);
  const depth = history.state?.depth ?? 0;
  if (replace || target.href === location.href) {
    history.replaceState({...history.state, key: entry}, '', target);
  } else {
    entry = newKey();
    history.pushState({key: entry, depth: depth + 1}, '', target);
  }
  whenChanged(route(replace ? 'replace' : 'go'));
}

/** Whether there is a page of ours behind this one. */
export const canGoBack = () => (history.state?.depth ?? 0) > 0;

export function route(how = 'go') {
  const path = below(location).split(/[?#]/)[0];
  const query = new URLSearchParams(location.search);
  for (const {path: pattern, page} of routes) {
    const match = pattern.exec(path);
    if (match) return {page, path, query, how, arguments: match.slice(1).map(decodeURIComponent)};
  }
  return {page: null, path, query, how, arguments: []};
}

/** Puts the reader back where they were on this entry of the history, else to the top. */
export function restoreScroll() {
  scrollTo(0, scrolled.get(entry) ?? 0);
}
