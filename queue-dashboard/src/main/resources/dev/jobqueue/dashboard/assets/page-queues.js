// Queues: what waits, runs and is done in each, and the switch that stops claiming.
import {html, nothing} from './lit-html.js';
import {confirmed} from './actions.js';
import {post} from './api.js';
import {sparkline} from './charts.js';
import {empty, jobsLink, mark, problem, quiet, sentence, table, term} from './components.js';
import {count, exact, span, total} from './format.js';
import {take} from './live.js';
import {Source} from './source.js';
import {canAct, shared} from './store.js';

export function queuesPage() {
  // The overview has the queues too, and the stream keeps it current: no need to ask for both.
  const overview = new Source('overview');
  return {
    name: 'queues',
    title: 'Queues',
    sources: [],
    async load() {
      await overview.load();
      if (overview.data) take(overview.data);
    },
    refresh() {
      return this.load();
    },
    view() {
      const queues = shared.overview?.queues;
      if (!queues) return problem(overview);
      if (!queues.length) {
        return empty('No queues yet', 'A queue is there as soon as a job is published to it, or a worker works it.');
      }
      return queueTable(queues, {changed: () => this.load()});
    },
  };
}

/** @param {{isBrief?: boolean, changed?: Function}} options brief: without actions */
export const queueTable = (queues, {isBrief = false, changed} = {}) =>
  table(
    'queues',
    [
      ['Queue', 'name', nameOf],
      ['Completed, 30 min', 'c2 spark-column', spark],
      ['Pending', 'numeric', (queue) => counted(queue, 'pending')],
      queues.some(({waiting}) => waiting > 0) && ['Waiting', 'numeric c1', (queue) => counted(queue, 'waiting')],
      ['Scheduled', 'numeric c1', (queue) => counted(queue, 'scheduled')],
      ['Running', 'numeric c1', (queue) => counted(queue, 'running')],
      ['Dead', 'numeric', (queue) => counted(queue, 'dead')],
      ['Oldest wait', 'numeric c2', ({oldestMs}) => (oldestMs === null ? quiet('–') : span(oldestMs))],
      !isBrief && canAct() && ['Action', 'action', (queue) => switchOf(queue, changed)],
    ],
    queues,
  );

const nameOf = (queue) => html`
  <a data-open href=${jobsLink(term('queue', queue.queue))}>${queue.queue}</a>
  <span class="beside">${condition(queue)}</span>
  <span class="narrow-only sub">${count(queue.running)} running</span>
`;

const spark = ({spark: minutes}) =>
  sparkline(
    minutes,
    `Completed per minute: now ${count(minutes.at(-1) ?? 0)}, at most ${count(Math.max(0, ...minutes))}`,
  );

/** A count that leads to the jobs it counts; zero leads nowhere and stays quiet. */
function counted(queue, state) {
  if (!queue[state]) return quiet('0');
  const number = total([queue], state);
  return html`<a
    class="number"
    href=${jobsLink(`state:${state} ${term('queue', queue.queue)}`)}
    aria-label="${number} ${state} in ${queue.queue}"
    >${number}</a
  >`;
}

function condition({pausedAt, status}) {
  if (pausedAt) return html`<span title="Paused ${exact(Date.parse(pausedAt))}">${mark('paused', 'Paused')}</span>`;
  return status === 'OK' ? nothing : mark(status.toLowerCase(), sentence(status));
}

function switchOf(queue, changed) {
  const [label, act] = queue.pausedAt ? ['Resume', resume] : ['Pause', pause];
  return html`<button type="button" aria-label="${label} ${queue.queue}" @click=${() => act(queue, changed)}>
    ${label}
  </button>`;
}

const pause = (queue, changed) =>
  confirmed(
    {
      title: `Pause ${queue.queue}?`,
      text: `No node claims from it until it is resumed: ${total([queue], 'pending')} pending ${queue.pending === 1 ? 'job waits' : 'jobs wait'}. What runs goes on.`,
      confirm: 'Pause',
      act: () => post('queues/pause', {name: queue.queue}),
    },
    `${queue.queue} paused.`,
    changed,
  );

const resume = ({queue}, changed) =>
  confirmed(
    {
      title: `Resume ${queue}?`,
      text: 'All nodes claim from it again, at once.',
      confirm: 'Resume',
      act: () => post('queues/resume', {name: queue}),
    },
    `${queue} resumed.`,
    changed,
  );
