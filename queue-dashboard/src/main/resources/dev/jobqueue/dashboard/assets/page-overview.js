// Overview: problems first, then how much is done, how long it waits and runs, and the queues.
import {html, nothing} from './lit-html.js';
import {withQuery} from './api.js';
import {chart, SCALES} from './charts.js';
import {empty, levelMark, mark, problem, section, segments} from './components.js';
import {count, figure, span} from './format.js';
import {live, take} from './live.js';
import {queueTable} from './page-queues.js';
import {go} from './router.js';
import {Source} from './source.js';
import {canPublish, redraw, shared} from './store.js';

const WINDOWS = {
  '5m': {label: '5 min', title: 'Last 5 minutes', ends: ['5 min ago', '', 'now']},
  '1h': {label: '1 hour', title: 'Last hour', ends: ['1 h ago', '30 min ago', 'now']},
  '1d': {label: '1 day', title: 'Last day', ends: ['24 h ago', '12 h ago', 'now']},
};

/** So many problems leave the rest of the page in sight. */
const AT_ONCE = 5;

export function overviewPage(start) {
  let chosen = choice(start);
  let cursor = null;
  const overview = new Source('overview');
  const charts = new Source(chartsPath(chosen), {every: 5_000});

  async function first() {
    await overview.load();
    if (overview.data) take(overview.data);
  }

  return {
    name: '',
    title: 'Overview',
    // The choices of the charts stand in the middle of the page.
    keepsScroll: true,
    sources: [charts],
    load: () => Promise.all([first(), charts.load()]),
    change(route) {
      chosen = choice(route);
      cursor = null;
      return charts.go(chartsPath(chosen));
    },
    refresh: () => charts.load(),
    view() {
      const data = shared.overview;
      if (!data) return problem(overview);
      charts.every = Math.max(5_000, charts.data?.stepMs ?? 0);
      return html`
        ${problems(data)} ${figures(data)}
        ${section(WINDOWS[chosen.window].title, chartViews(), chartChoices(data), 'charts')}
        ${section('Queues', data.queues.length ? queueTable(data.queues, {isBrief: true}) : noQueues())}
      `;
    },
  };

  function chartChoices(data) {
    return html`
      <div class="choices">
        <label>
          <span class="hidden">Queue of the charts</span>
          <select @change=${(event) => chooseQueue(event.target.value)}>
            <option value="" .selected=${!chosen.queue}>All queues</option>
            ${data.queues.map(({queue}) => html`<option value=${queue} .selected=${queue === chosen.queue}>${queue}</option>`)}
          </select>
        </label>
        ${segments(
          'Span of the charts',
          Object.entries(WINDOWS).map(([window, {label}]) => ({
            href: link({...chosen, window}),
            text: label,
            isCurrent: window === chosen.window,
          })),
        )}
      </div>
    `;
  }

  function chartViews() {
    const {points: all = [], stepMs = 60_000} = charts.data ?? {};
    // What is still being counted would look like a fall: the last step, and of the shortest ones the last two.
    const points = all.slice(0, stepMs > 10_000 ? -1 : -2);
    const times = points.map(({at}) => Date.parse(at));
    const perMinute = (name) => points.map((point) => (point[name] * 60_000) / stepMs);
    const {ends} = WINDOWS[chosen.window];
    const onCursor = (index) => {
      cursor = index;
      redraw();
    };
    const common = {times, ends, cursor, onCursor};
    return html`
      ${problem(charts)}
      <div class="chart-row">
        ${chart({
          ...common,
          title: 'Throughput',
          unit: 'per minute',
          scale: SCALES.count,
          series: [
            {name: 'completed', kind: 'area', className: 'main', values: perMinute('completed')},
            {name: 'failed', kind: 'line', className: 'minor', values: perMinute('failed')},
            {name: 'dead', kind: 'line', className: 'bad', values: perMinute('dead')},
          ],
        })}
        ${chart({
          ...common,
          title: 'Wait',
          unit: 'average, due to claimed',
          scale: SCALES.span,
          series: [{name: 'wait', kind: 'area', className: 'main', values: points.map(({waitMs}) => waitMs)}],
        })}
        ${chart({
          ...common,
          title: 'Run',
          unit: 'average of an attempt',
          scale: SCALES.span,
          series: [{name: 'run', kind: 'area', className: 'main', values: points.map(({runMs}) => runMs)}],
        })}
      </div>
    `;
  }
}

function choice({query}) {
  const window = query.get('window');
  return {window: WINDOWS[window] ? window : '1h', queue: query.get('queue') ?? ''};
}

const chartsPath = ({window, queue}) => withQuery('charts', {queue, window});

const link = ({window, queue}) => withQuery('.', {queue, window: window === '1h' ? null : window});

function chooseQueue(queue) {
  const {window} = choice({query: new URLSearchParams(location.search)});
  go(link({window, queue}));
}

function problems({problems: list}) {
  // The badge tells of an outage; here nothing may claim that all is well meanwhile.
  const all =
    live.problem && !list.length
      ? [{level: 'CRITICAL', message: `${live.problem} What you see is not current.`, link: null}]
      : list;
  return section(
    'Problems',
    all.length
      ? html`${problemList(all.slice(0, AT_ONCE))}
          ${
            all.length > AT_ONCE
              ? html`<details class="more">
                  <summary>${count(all.length - AT_ONCE)} more</summary>
                  ${problemList(all.slice(AT_ONCE))}
                </details>`
              : nothing
          }`
      : html`<p class="well">${mark('completed', 'None. Queues are worked, and nodes answer.')}</p>`,
    nothing,
    'problem-part',
  );
}

const problemList = (list) => html`
  <ul class="problems">
    ${list.map(
      ({level, message, link: href}) =>
        html`<li>
          ${levelMark(level)}<span class="message">${message}</span>${
            href ? html`<a href=${href} aria-label="Open: ${message}">Open</a>` : nothing
          }
        </li>`,
    )}
  </ul>
`;

function figures({perMinute, oldestMs, queues, nodes}) {
  const running = queues.reduce((sum, queue) => sum + queue.running, 0);
  const tiles = [
    ['Completed', figure(perMinute.completed), 'per minute'],
    ['Failed attempts', figure(perMinute.failed), 'per minute'],
    ['Dead', figure(perMinute.dead), 'per minute'],
    ['Oldest wait', oldestMs === null ? '–' : span(oldestMs), oldestMs === null ? 'nothing is due' : 'due'],
    ['Running', count(running), running === 1 ? 'job' : 'jobs'],
    ['Nodes', count(nodes.live), nodes.silent ? `live, ${count(nodes.silent)} silent` : 'live'],
  ];
  return html`
    <dl class="tiles">
      ${tiles.map(
        ([name, value, unit]) =>
          html`<div>
            <dt>${name}</dt>
            <dd><b>${value}</b> <span class="unit">${unit}</span></dd>
          </div>`,
      )}
    </dl>
  `;
}

const noQueues = () =>
  empty(
    'No queues yet',
    'A queue is there as soon as a job is published to it, or a worker works it. Publish a first job in your application:',
    html`<pre class="text">jobs.publish(Job.of(new SendInvoice(42)));</pre>
      ${canPublish() ? html`<p><a class="button primary" href="publish">Publish a job by hand</a></p>` : nothing}`,
  );
