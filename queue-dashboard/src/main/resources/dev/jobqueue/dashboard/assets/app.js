// Starts everything: who looks, which page, and the frame around it.
import {html, nothing, render} from './lit-html.js';
import {get} from './api.js';
import {showHelp} from './dialogs.js';
import {span, total} from './format.js';
import {icon} from './icons.js';
import {startKeys} from './keys.js';
import {live, startLive, tickLive} from './live.js';
import {startNotes, tickNotes} from './notes.js';
import {auditPage} from './page-audit.js';
import {deadPage} from './page-dead.js';
import {jobPage} from './page-job.js';
import {jobsPage} from './page-jobs.js';
import {flowPage, flowsPage} from './page-flows.js';
import {lanesPage} from './page-lanes.js';
import {nodesPage} from './page-nodes.js';
import {overviewPage} from './page-overview.js';
import {publishPage} from './page-publish.js';
import {queuesPage} from './page-queues.js';
import {schedulesPage} from './page-schedules.js';
import {restoreScroll, startRouter} from './router.js';
import {choices, drawWith, redraw, shared} from './store.js';
import {empty} from './components.js';

/** The pages in the order of the navigation. A new page is one line here, one in ROUTES, and one in keys.js. */
const NAVIGATION = [
  {path: '.', name: '', label: 'Overview', icon: 'overview', extra: ({problems}) => problems.length},
  {path: 'queues', name: 'queues', label: 'Queues', icon: 'queues'},
  {path: 'jobs', name: 'jobs', label: 'Jobs', icon: 'jobs'},
  {
    path: 'dead',
    name: 'dead',
    label: 'Dead letters',
    icon: 'dead_letters',
    extra: ({queues}) => queues.some(({dead}) => dead) && total(queues, 'dead'),
  },
  {path: 'flows', name: 'flows', label: 'Flows', icon: 'flows'},
  {path: 'lanes', name: 'lanes', label: 'Lanes', icon: 'lanes'},
  {path: 'schedules', name: 'schedules', label: 'Schedules', icon: 'schedules'},
  {path: 'nodes', name: 'nodes', label: 'Nodes', icon: 'nodes'},
  {path: 'audit', name: 'audit', label: 'Audit', icon: 'audit'},
];

const ROUTES = [
  {path: /^$/, page: overviewPage},
  {path: /^queues\/?$/, page: queuesPage},
  {path: /^jobs\/?$/, page: jobsPage},
  {path: /^jobs\/([^/]+)$/, page: jobPage},
  {path: /^dead\/?$/, page: deadPage},
  {path: /^flows\/?$/, page: flowsPage},
  {path: /^flows\/([^/]+)$/, page: flowPage},
  {path: /^lanes\/?$/, page: lanesPage},
  {path: /^schedules\/?$/, page: schedulesPage},
  {path: /^nodes\/?$/, page: nodesPage},
  {path: /^audit\/?$/, page: auditPage},
  {path: /^publish\/?$/, page: publishPage},
];

/** How long the page before stays on the screen while a new one waits for its first answer. */
const STAYS = 400;

let page = null;
let visit = 0;
let current = null;

async function show(route) {
  const mine = ++visit;
  const isSame =
    current && current.page === route.page && page?.change && current.arguments.join() === route.arguments.join();
  const next = isSame ? page : (route.page ?? notFound)(route);
  current = route;
  const loading = isSame ? next.change(route) : next.load();
  await Promise.race([loading, new Promise((done) => setTimeout(done, STAYS))]);
  if (mine !== visit) return;
  if (next !== page) {
    page?.leave?.();
    page?.sources.forEach((source) => source.stop());
    page = next;
  }
  draw();
  if (!isSame || !page.keepsScroll) restoreScroll();
  showCurrent();
  // Screen readers hear the new heading; a change of the query keeps the focus where it is.
  if (!isSame && route.how !== 'start') document.querySelector('h1')?.focus({preventScroll: true});
  page.drawn?.();
}

/** On small screens the rows of links are wider than the screen. */
function showCurrent() {
  for (const link of document.querySelectorAll('.pages [aria-current], .segments [aria-current]')) {
    const box = link.closest('.pages, .segments');
    const [inner, outer] = [link.getBoundingClientRect(), box.getBoundingClientRect()];
    if (inner.left < outer.left || inner.right > outer.right) box.scrollLeft += inner.left - outer.left - 16;
  }
}

const notFound = () => ({
  name: null,
  title: 'No such page',
  sources: [],
  load: async () => {},
  refresh: async () => {},
  view: () =>
    empty(
      'There is no such page',
      'The link may be of another version.',
      html`<p><a class="button" href=".">Overview</a></p>`,
    ),
});

function draw() {
  render(frame(), document.getElementById('app'));
  if (page) document.title = `${page.title} · Queue`;
}

drawWith(draw);

const frame = () => html`
  <a class="skip" href="#main" @click=${skip}>Skip to the content</a>
  <div class="frame">
    <header class="side">
      <a class="brand" href=".">${brand}<span>Queue</span></a>
      <nav class="pages" aria-label="Pages">
        <ul>
          ${NAVIGATION.map(navigationItem)}
        </ul>
      </nav>
      <div class="side-foot">
        ${
          shared.me
            ? html`<span class="who" title=${shared.me.version ? `Version ${shared.me.version}` : nothing}
                >${shared.me.user ?? 'Nobody signed in'}${shared.me.canAct ? nothing : html`<span class="sub">read only</span>`}</span
              >`
            : nothing
        }
        <button
          class="quiet icon-only"
          type="button"
          aria-label="Keyboard help"
          title="Keyboard help (?)"
          @click=${showHelp}
        >
          ${icon('keyboard')}
        </button>
        <button
          class="quiet icon-only"
          type="button"
          aria-label=${`Theme: ${theme()}`}
          title=${`Theme: ${theme()}`}
          @click=${nextTheme}
        >
          ${icon('theme')}
        </button>
      </div>
    </header>
    <main id="main" tabindex="-1">
      <div class="head">
        <h1 tabindex="-1">${page?.title ?? ''}</h1>
        ${condition()}
        <div class="head-actions">${page?.actions?.() ?? nothing}</div>
      </div>
      ${page?.view() ?? nothing}
    </main>
  </div>
`;

const brand = html`<svg class="logo" viewBox="0 0 16 16" aria-hidden="true">
  <rect width="16" height="16" rx="4" />
  <path d="M4 5h8M4 8h8M4 11h4" />
</svg>`;

function navigationItem({path, name, label, icon: shape, extra}) {
  const number = shared.overview && extra ? extra(shared.overview) : 0;
  return html`<li>
    <a href=${path} aria-current=${page?.name === name ? 'page' : nothing}
      >${icon(shape)}<span>${label}</span>${number ? html`<span class="extra">${number}</span>` : nothing}</a
    >
  </li>`;
}

/** Always in the same place, so that nothing moves when the server stops answering. */
function condition() {
  if (!live.problem) {
    const isLive = Boolean(shared.overview);
    return html`<span class="condition" role="status"
      >${isLive ? html`<span class="pulse" aria-hidden="true"></span>Live` : nothing}</span
    >`;
  }
  return html`<span class="condition is-stale" role="status" title=${live.problem}
    >${icon('warning')}<span
      >Stale<span class="condition-more">: ${live.problem}</span>
      <span aria-hidden="true">${span(Math.floor((Date.now() - live.freshAt) / 1_000) * 1_000)}</span></span
    ></span
  >`;
}

function skip(event) {
  // <base> would make "#main" another page.
  event.preventDefault();
  document.getElementById('main').focus();
}

const theme = () => document.documentElement.dataset.theme ?? 'system';

/** System, light, dark, and again. */
function nextTheme() {
  const next = {system: 'light', light: 'dark', dark: null}[theme()];
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
  choices.set('theme', next);
  redraw();
}

function tick() {
  if (document.hidden) return;
  tickLive();
  tickNotes();
  page?.sources.forEach((source) => source.tick());
  // Ages grow.
  redraw();
}

/** Nothing can be shown before the server says who looks; it may be away just now. */
async function meet() {
  for (;;) {
    try {
      shared.me = await get('me');
      return;
    } catch (error) {
      live.problem = error.message;
      page = {
        name: null,
        title: 'No answer',
        sources: [],
        view: () => empty('The dashboard cannot be shown', `${error.message} The page tries again by itself.`),
      };
      draw();
      await new Promise((done) => setTimeout(done, 3_000));
    }
  }
}

async function start() {
  draw();
  await meet();
  live.problem = null;
  live.freshAt = Date.now();
  startNotes(() => page?.refresh());
  startLive({recovered: () => page?.refresh()});
  startKeys({help: showHelp});
  startRouter(ROUTES, show);
  setInterval(tick, 1_000);
}

start();
