// Jobs: found by a query, page by page, and acted on singly, by selection, or all that match.
import {html, nothing} from './lit-html.js';
import {ACTIONS, actionsFor, actionsForAll, actOnQuery, actOnRows} from './actions.js';
import {withQuery} from './api.js';
import {empty, jobLink, lookFurther, pager, problem, progress, segments, sentence, shortError, stateMark} from './components.js';
import {exact, jobs as jobCount, relative, roughly, shortId, total} from './format.js';
import {wanted} from './keys.js';
import {valueOf, withValue, words} from './query.js';
import {go} from './router.js';
import {Search} from './search.js';
import {Source} from './source.js';
import {canAct, canPublish, now, redraw, shared} from './store.js';

const PAGE = 50;
const STATES = ['running', 'pending', 'waiting', 'scheduled', 'dead', 'completed', 'cancelled'];
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function jobsPage(start) {
  let {q, after} = read(start);
  let selected = new Map();
  let isPointedAt = false;
  const search = new Search(q, (text) => go(ID.test(text) ? jobLink(text) : withQuery('jobs', {q: text})));
  // Rows must not move under a pointer or a cursor, nor while some are selected; later pages stand still anyway.
  const isHeld = () =>
    Boolean(after) || isPointedAt || selected.size > 0 || Boolean(document.activeElement?.closest('table.jobs'));
  const list = new Source(path(), {every: 5_000, isHeld});

  function path() {
    return withQuery('jobs', {q, after, limit: PAGE});
  }

  function reload() {
    selected = new Map();
    return list.load();
  }

  return {
    name: 'jobs',
    title: 'Jobs',
    sources: [list],
    load: () => list.load(),
    refresh: () => list.load(),
    change(route) {
      ({q, after} = read(route));
      search.set(q);
      selected = new Map();
      return list.go(path());
    },
    drawn() {
      if (!wanted.search) return;
      wanted.search = false;
      document.getElementById('search')?.focus();
    },
    actions: () => (canPublish() ? html`<a class="button" href="publish">Publish a job</a>` : nothing),
    view() {
      return html`
        ${search.view()} ${tabs(q)} ${problem(list)}
        ${list.data === undefined || (list.error && !list.error.isOutage) ? nothing : html`${bar()} ${table()} ${pages()}`}
      `;
    },
  };

  /** One line of one height, whatever it says: the table below must not move. */
  function bar() {
    const {jobs, count} = list.data;
    if (!selected.size) {
      const text = count
        ? `${jobCount(count.jobs, count.isAtLeast)} ${count.jobs === 1 ? 'matches' : 'match'}`
        : `${jobCount(jobs.length)} on this page`;
      const state = stateOf(list.data);
      return html`<div class="bar">
        <span class="sub" role="status">${text}</span>
        ${
          canAct() && state && jobs.length && actionsForAll(state).length
            ? html`<span class="bar-actions">
                <span class="sub" id="all-label">All that match:</span>
                ${actionsForAll(state).map(
                  (name) =>
                    html`<button
                      type="button"
                      class=${ACTIONS[name].isDanger ? 'danger-quiet' : ''}
                      aria-describedby="all-label"
                      @click=${() => actOnQuery(name, q, reload)}
                    >
                      ${ACTIONS[name].label}
                    </button>`,
                )}
              </span>`
            : nothing
        }
      </div>`;
    }
    const rows = [...selected.values()];
    return html`<div class="bar is-selecting">
      <span role="status"><b>${rows.length}</b> selected</span>
      <button class="link" type="button" @click=${clear}>Clear</button>
      <span class="bar-actions">
        ${actionsFor(rows.map(({state}) => state)).map(
          (name) =>
            html`<button
              type="button"
              class=${ACTIONS[name].isDanger ? 'danger-quiet' : ''}
              @click=${() => actOnRows(name, rows, reload)}
            >
              ${ACTIONS[name].label}
            </button>`,
        )}
      </span>
    </div>`;
  }

  function clear() {
    selected = new Map();
    redraw();
  }

  function table() {
    const {jobs, next} = list.data;
    if (!jobs.length) return nothingFound(next);
    const isPicking = canAct();
    const areAll = jobs.every(({id}) => selected.has(id));
    return html`
      <table
        class="jobs ${isPicking ? 'is-picking' : ''}"
        @pointerenter=${() => (isPointedAt = true)}
        @pointerleave=${() => (isPointedAt = false)}
      >
        <thead>
          <tr>
            ${
              isPicking
                ? html`<th scope="col" class="pick">
                    <input
                      type="checkbox"
                      aria-label="Select all on this page"
                      .checked=${areAll}
                      .indeterminate=${!areAll && selected.size > 0}
                      @change=${(event) => pickAll(event.target.checked)}
                    />
                  </th>`
                : nothing
            }
            <th scope="col" class="state-column">State</th>
            <th scope="col" class="job-column">Job</th>
            <th scope="col" class="c1 queue-column">Queue</th>
            <th scope="col" class="c1 numeric attempt-column">Attempt</th>
            <th scope="col" class="c2 numeric priority-column">Priority</th>
            <th scope="col" class="c2">Progress or error</th>
            <th scope="col" class="c1 numeric when-column">When</th>
          </tr>
        </thead>
        <tbody>
          ${jobs.map((job) => row(job, isPicking))}
        </tbody>
      </table>
    `;
  }

  function row(job, isPicking) {
    const {id, type, queue, state, attempt, maxAttempts, priority} = job;
    return html`
      <tr data-row class=${selected.has(id) ? 'is-selected' : nothing}>
        ${
          isPicking
            ? html`<td class="pick">
                <input
                  type="checkbox"
                  aria-label="Select ${type} ${shortId(id)}"
                  .checked=${selected.has(id)}
                  @change=${(event) => pick(job, event.target.checked)}
                />
              </td>`
            : nothing
        }
        <td class="state-column">${stateMark(state)}</td>
        <th scope="row">
          <a data-open href=${jobLink(id)} title=${id}>${type}</a> <span class="id">${shortId(id)}</span>
          <span class="narrow-only sub">${queue} · ${happened(job)}</span>
        </th>
        <td class="c1 queue-column"><span class="cut" title=${queue}>${queue}</span></td>
        <td class="c1 numeric attempt-column">${attempt}<span class="of"> / ${maxAttempts}</span></td>
        <td class="c2 numeric priority-column">${priority === 0 ? html`<span class="none">0</span>` : priority}</td>
        <td class="c2">${detail(job)}</td>
        <td class="c1 numeric when-column">${happened(job)}</td>
      </tr>
    `;
  }

  function pick(job, isOn) {
    selected = new Map(selected);
    if (isOn) selected.set(job.id, job);
    else selected.delete(job.id);
    redraw();
  }

  function pickAll(isOn) {
    selected = new Map(isOn ? list.data.jobs.map((job) => [job.id, job]) : []);
    redraw();
  }

  function pages() {
    const {next, jobs} = list.data;
    const following = next && jobs.length ? withQuery('jobs', {q, after: next}) : null;
    return pager('jobs', {after, first: withQuery('jobs', {q}), next: following});
  }

  function nothingFound(next) {
    if (next) return lookFurther(withQuery('jobs', {q, after: next}), 'jobs');
    if (after) return empty('No more jobs', 'This is behind the last one.');
    const state = valueOf(q, 'state');
    if (!q) {
      return empty(
        'No jobs yet',
        'Publish one in your application, and it stands here.',
        html`<pre class="text">jobs.publish(Job.of(new SendInvoice(42)));</pre>`,
      );
    }
    return empty(
      state ? `No ${state} jobs match` : 'No jobs match',
      'Take a word out of the query, or choose another state above. What ended long ago is pruned from the history.',
    );
  }
}

/** The one state of all jobs that match, or null. */
function stateOf({filter}) {
  const state = filter?.state ?? (filter?.fingerprint ? 'dead' : null);
  return state?.toUpperCase() ?? null;
}

const read = ({query}) => ({q: query.get('q') ?? '', after: query.get('after') ?? ''});

function tabs(q) {
  const current = valueOf(q, 'state')?.toLowerCase() ?? null;
  const option = (state, text) => ({
    href: withQuery('jobs', {q: withValue(q, 'state', state)}),
    text,
    extra: state ? totalOf(q, state) : null,
    isCurrent: current === state,
  });
  return segments('State', [option(null, 'All'), ...STATES.map((state) => option(state, sentence(state)))]);
}

/** The figures of the overview are there anyway; they fit as long as the query asks for nothing but a queue. */
function totalOf(q, state) {
  const queues = shared.overview?.queues;
  if (!queues || !words(q).every((word) => /^(state|queue):/.test(word))) return null;
  const queue = valueOf(q, 'queue');
  const counted = queues.filter((each) => (queue === null || each.queue === queue) && typeof each[state] === 'number');
  if (!counted.length) return null;
  return total(counted, state);
}

const WAITS = new Set(['SCHEDULED', 'PENDING', 'WAITING']);

function happened({state, runAt, claimedAt, finishedAt}) {
  const iso = finishedAt ?? (state === 'RUNNING' ? claimedAt : runAt) ?? runAt;
  const at = Date.parse(iso);
  const text =
    state === 'RUNNING'
      ? `for ${roughly(Math.max(0, now() - at))}`
      : `${WAITS.has(state) ? 'due ' : ''}${relative(at)}`;
  return html`<time datetime=${iso} title=${exact(at)}>${text}</time>`;
}

function detail({state, percent, stage, error}) {
  if (state === 'RUNNING' && (percent !== null || stage)) {
    return html`<span class="cut progress-cell">
      ${percent === null ? nothing : html`${progress(percent, 100, 'Progress')} ${percent} %`} ${stage ?? ''}</span
    >`;
  }
  return error ? html`<span class="cut" title=${error}>${shortError(error)}</span>` : nothing;
}
