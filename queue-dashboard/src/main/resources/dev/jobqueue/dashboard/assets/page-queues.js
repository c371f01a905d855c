// Queues: what waits, runs and is done in each, and the switch that stops claiming.
import {html, nothing} from './lit-html.js';
import {post} from './api.js';
import {sparkline} from './charts.js';
import {countLink, empty, jobsLink, mark, problem, sentence, term} from './components.js';
import {ask} from './dialogs.js';
import {atLeast, count, exact, jobs, span} from './format.js';
import {note} from './notes.js';
import {canAct, shared} from './store.js';
import {Source} from './source.js';
import {take} from './live.js';

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
export function queueTable(queues, {isBrief = false, changed} = {}) {
  const acts = !isBrief && canAct();
  return html`
    <table class="queues">
      <thead>
        <tr>
          <th scope="col" class="wide">Queue</th>
          <th scope="col" class="c2 spark-column">Completed, 30 min</th>
          <th scope="col" class="numeric">Pending</th>
          <th scope="col" class="numeric c1">Scheduled</th>
          <th scope="col" class="numeric c1">Running</th>
          <th scope="col" class="numeric">Dead</th>
          <th scope="col" class="numeric c2">Oldest wait</th>
          ${acts ? html`<th scope="col" class="action"><span class="hidden">Action</span></th>` : nothing}
        </tr>
      </thead>
      <tbody>
        ${queues.map((queue) => row(queue, acts, changed))}
      </tbody>
    </table>
  `;
}

function row(queue, acts, changed) {
  const name = queue.queue;
  const q = (state) => `state:${state} ${term('queue', name)}`;
  const spark = queue.spark ?? [];
  return html`
    <tr data-row>
      <th scope="row">
        <a data-open href=${jobsLink(term('queue', name))}>${name}</a>
        <span class="beside">${condition(queue)}</span>
        <span class="narrow-only sub">${count(queue.running)} running</span>
      </th>
      <td class="c2 spark-column">
        ${sparkline(spark, `Completed per minute: now ${count(spark.at(-1) ?? 0)}, at most ${count(Math.max(0, ...spark))}`)}
      </td>
      <td class="numeric">${countLink(queue.pending, q('pending'), `pending in ${name}`, queue.pendingAtLeast)}</td>
      <td class="numeric c1">${countLink(queue.scheduled, q('scheduled'), `scheduled in ${name}`)}</td>
      <td class="numeric c1">
        ${countLink(queue.running, q('running'), `running in ${name}`)}${
          queue.slots ? html`<span class="of"> / ${count(queue.slots)}</span>` : nothing
        }
      </td>
      <td class="numeric">${countLink(queue.dead, q('dead'), `dead in ${name}`)}</td>
      <td class="numeric c2">${queue.oldestMs === null ? html`<span class="none">–</span>` : span(queue.oldestMs)}</td>
      ${acts ? html`<td class="action">${switchOf(queue, changed)}</td>` : nothing}
    </tr>
  `;
}

function condition({pausedAt, status}) {
  if (pausedAt) return html`<span title="Paused ${exact(Date.parse(pausedAt))}">${mark('paused', 'Paused')}</span>`;
  if (status === 'WARNING' || status === 'CRITICAL') return mark(status.toLowerCase(), sentence(status));
  return nothing;
}

const switchOf = (queue, changed) =>
  queue.pausedAt
    ? html`<button type="button" aria-label="Resume ${queue.queue}" @click=${() => resume(queue, changed)}>
        Resume
      </button>`
    : html`<button type="button" aria-label="Pause ${queue.queue}" @click=${() => pause(queue, changed)}>
        Pause
      </button>`;

async function pause({queue, pending, pendingAtLeast, running}, changed) {
  const isDone = await ask({
    title: `Pause ${queue}?`,
    text: `No node claims from it until it is resumed: ${atLeast(pending, pendingAtLeast)} pending ${pending === 1 ? 'job waits' : 'jobs wait'}. ${jobs(running)} that run go on.`,
    confirm: 'Pause',
    act: () => post(`queues/${encodeURIComponent(queue)}/pause`),
  });
  if (!isDone) return;
  note(`${queue} paused.`);
  changed();
}

async function resume({queue}, changed) {
  const isDone = await ask({
    title: `Resume ${queue}?`,
    text: 'All nodes claim from it again, at once.',
    confirm: 'Resume',
    act: () => post(`queues/${encodeURIComponent(queue)}/resume`),
  });
  if (!isDone) return;
  note(`${queue} resumed.`);
  changed();
}
