// One job: what it is, why it is where it is, what happened to it, and what it carries.
import {html, nothing} from './lit-html.js';
import {ACTIONS, actionsFor, actOnJob} from './actions.js';
import {
  copyButton,
  empty,
  facts,
  jobsLink,
  mark,
  problem,
  progress,
  section,
  sentence,
  stateMark,
  term,
} from './components.js';
import {both, brief, clockTime, count, firstLine, shortId, span, when} from './format.js';
import {unwatchJob, watchJob} from './live.js';
import {flowLink} from './page-flows.js';
import {lanesLink} from './page-lanes.js';
import {Source} from './source.js';
import {canAct, redraw} from './store.js';
import {Tree} from './tree.js';

const LINES = 500;

export function jobPage(start) {
  const id = start.arguments[0];
  const details = new Source(`jobs/${encodeURIComponent(id)}`, {every: 5_000, isHeld: () => isFollowed || isOver()});
  const trees = {payload: new Tree(), result: new Tree(), steps: new Tree()};
  const openTraces = new Set();
  let isFollowed = false;

  const isOver = () => ['COMPLETED', 'CANCELLED'].includes(details.data?.state);

  const reload = () => details.load();

  return {
    name: 'jobs',
    get title() {
      return details.data?.type ?? 'Job';
    },
    sources: [details],
    async load() {
      watchJob(id, (job) => {
        // From now on the stream tells, and asking is not needed.
        isFollowed = true;
        details.data = job;
        redraw();
      });
      await details.load();
    },
    refresh: reload,
    leave: () => unwatchJob(id),
    actions: () => (details.data && canAct() ? buttons(details.data, reload) : nothing),
    view() {
      const job = details.data;
      if (details.error?.status === 404 || details.error?.status === 422) return gone(id);
      if (!job) return problem(details);
      return html`
        ${problem(details)}
        <div class="job-line">
          ${stateMark(job.state)}
          ${job.cancelRequested && job.state === 'RUNNING' ? mark('cancelled', 'Asked to stop') : nothing}
          <span class="id-full"><code>${job.id}</code>${copyButton(job.id, 'the id')}</span>
        </div>
        <div class="job-columns">
          <div class="job-main">
            ${why(job)} ${running(job)} ${timeline(job)} ${steps(job)} ${log(job)}
            ${section('Payload', trees.payload.view(job.payload, 'payload'), copyJson(job.payload, 'the payload'))}
            ${
              job.result === null || job.result === undefined
                ? nothing
                : section('Result', trees.result.view(job.result, 'result'), copyJson(job.result, 'the result'))
            }
          </div>
          <aside class="job-side" aria-label="Facts">
            ${section('Facts', jobFacts(job))} ${limits(job)} ${headers(job)} ${section('Other jobs', related(job))}
          </aside>
        </div>
      `;
    },
  };

  function timeline(job) {
    return section(
      'Timeline',
      html`<ol class="timeline">
        ${momentsOf(job).map(
          ({shape, kind, title, at, before, sub, trace, key}) =>
            html`<li class=${kind ?? ''}>
              ${mark(shape, title, kind ?? shape)}
              <span class="sub">${when(at, before)}${sub ? html` · ${sub}` : nothing}</span>
              ${trace ? error(trace, key) : nothing}
            </li>`,
        )}
      </ol>`,
    );
  }

  function error(text, key) {
    const first = firstLine(text);
    const lines = text.split('\n').length - 1;
    const isOpen = openTraces.has(key);
    return html`
      <p class="error-line">${first}</p>
      ${
        lines > 0
          ? html`<details
              ?open=${isOpen}
              @toggle=${(event) => {
                if (event.target.open === openTraces.has(key)) return;
                if (event.target.open) openTraces.add(key);
                else openTraces.delete(key);
                redraw();
              }}
            >
              <summary>Stack trace, ${count(lines)} ${lines === 1 ? 'line' : 'lines'}</summary>
              ${isOpen ? html`<pre class="text trace" tabindex="0">${text}</pre>` : nothing}
            </details>`
          : nothing
      }
    `;
  }

  function steps({steps: list}) {
    if (!list?.length) return nothing;
    return section(
      'Steps',
      html`<ol class="steps">
        ${list.map(
          ({name, finishedAt, result}) =>
            html`<li>
              ${mark('completed', name)} <span class="sub">${when(finishedAt)}</span>
              ${result === null || result === undefined ? nothing : trees.steps.view(result, `steps/${name}`)}
            </li>`,
        )}
      </ol>`,
      html`<span class="sub">Finished ones are not repeated by further attempts.</span>`,
    );
  }
}

const buttons = (job, reload) =>
  actionsFor([job.state]).map(
    (name) =>
      html`<button
        type="button"
        class=${ACTIONS[name].isDanger ? 'danger-quiet' : ''}
        @click=${() => actOnJob(name, job, reload)}
      >
        ${ACTIONS[name].label}
      </button>`,
  );

const gone = (id) =>
  empty(
    'No such job',
    html`No job has the id <code>${id}</code>. It may have ended, and its history may be pruned.`,
    html`<p><a class="button" href="jobs">All jobs</a></p>`,
  );

const copyJson = (value, what) =>
  copyButton(() => (value?.text !== undefined && value.$truncated ? value.text : JSON.stringify(value, null, 2)), what);

function why({why: reasons, state}) {
  if (!reasons?.length || state === 'COMPLETED') return nothing;
  return section(
    state === 'RUNNING' ? 'What it does' : 'Why',
    html`<ul class="why">
      ${reasons.map(({code, message}) => html`<li>${message} <code class="code">${code}</code></li>`)}
    </ul>`,
  );
}

function running({state, percent, stage}) {
  if (state !== 'RUNNING' || (percent === null && !stage)) return nothing;
  return html`
    <div class="running-now">
      ${percent === null ? nothing : html`${progress(percent, 100, 'Progress of the job')}<b>${percent} %</b>`}
      <span>${stage ?? ''}</span>
    </div>
  `;
}

/** What happened, the oldest first, and what comes next. */
function momentsOf(job) {
  const moments = [{shape: 'publish', title: 'Published', at: job.createdAt}];
  const isLater = Date.parse(job.runAt) - Date.parse(job.createdAt) > 1_000;
  if (isLater && !job.errors.length && job.state !== 'SCHEDULED')
    moments.push({shape: 'scheduled', title: 'Due', at: job.runAt});
  job.errors.forEach(({attempt, at, error}, index) => {
    moments.push({shape: 'warning', kind: 'threw', title: `Attempt ${attempt} threw`, at, trace: error, key: index});
  });
  return [...moments, ...lastMoments(job)];
}

function lastMoments(job) {
  const {state, attempt, maxAttempts, claimedAt, runAt, finishedAt} = job;
  const ran = claimedAt && finishedAt ? `ran ${span(Date.parse(finishedAt) - Date.parse(claimedAt))}` : null;
  switch (state) {
    case 'RUNNING':
      return [
        {
          shape: 'running',
          title: `Attempt ${attempt} of ${maxAttempts} runs`,
          at: claimedAt,
          sub: `waited ${span(waited(job))}`,
        },
      ];
    case 'SCHEDULED':
      return [{shape: 'scheduled', title: attempt ? `Attempt ${attempt + 1} of ${maxAttempts}` : 'Due', at: runAt}];
    case 'PENDING':
      return [{shape: 'pending', title: 'Waits for a worker', at: runAt, before: 'due '}];
    case 'COMPLETED':
      return [
        {shape: 'running', title: `Attempt ${attempt} claimed`, at: claimedAt, sub: `waited ${span(waited(job))}`},
        {shape: 'completed', title: 'Completed', at: finishedAt, sub: ran},
      ];
    case 'DEAD':
      return [{shape: 'dead', title: 'Dead', at: finishedAt, sub: job.deadReason}];
    case 'CANCELLED':
      return [{shape: 'cancelled', title: 'Cancelled', at: finishedAt, sub: ran}];
    default:
      return [{shape: 'waiting', title: Object.keys(job.limits).length ? 'Waits for its limits' : 'Waits for other steps', at: runAt, before: 'due '}];
  }
}

/** From due to claimed; a job cannot wait before it is published. */
function waited({runAt, createdAt, claimedAt}) {
  if (!claimedAt) return null;
  return Math.max(0, Date.parse(claimedAt) - Math.max(Date.parse(runAt), Date.parse(createdAt)));
}

function log({events, state}) {
  if (!events?.length) {
    return state === 'RUNNING'
      ? section(
          'Log',
          html`<p class="sub">Nothing yet. Lines that the handler logs through its context stand here.</p>`,
        )
      : nothing;
  }
  const shown = events.slice(-LINES);
  return section(
    'Log',
    html`<div class="log" role="log" tabindex="0" aria-label="Log lines of the job">
      <div>
        ${shown.map(
          ({at, kind, level, percent, stage, message}) =>
            html`<div class="log-line ${(level ?? kind).toLowerCase()}">
              ${clockTime(at)} <span class="level">${level ?? (percent === null ? '' : `${percent} %`)}</span>
              <span class="log-text">${kind === 'LOG' ? message : (stage ?? '')}</span>
            </div>`,
        )}
      </div>
    </div>`,
    events.length > LINES ? html`<span class="sub">The last ${LINES} of ${count(events.at(-1).number)}</span>` : nothing,
  );
}

function jobFacts(job) {
  return facts([
    ['Queue', html`<a href=${jobsLink(term('queue', job.queue))}>${job.queue}</a>`],
    ['Attempt', `${job.attempt} of ${job.maxAttempts}`],
    ['Priority', String(job.priority)],
    ['Unique key', job.uniqueKey ? html`<code>${brief(job.uniqueKey)}</code>` : null],
    ['Timeout', job.timeoutMs ? span(job.timeoutMs) : null],
    ['Published', both(job.createdAt)],
    [['SCHEDULED', 'PENDING', 'WAITING'].includes(job.state) ? 'Due' : 'Was due', both(job.runAt)],
    ['Claimed', both(job.claimedAt)],
    ['Ended', both(job.finishedAt)],
    ['Waited', job.claimedAt ? span(waited(job)) : null],
    ['Ran', job.claimedAt && job.finishedAt ? span(Date.parse(job.finishedAt) - Date.parse(job.claimedAt)) : null],
    ['Flow', job.flowId ? html`<a href=${flowLink(job.flowId)}>${job.flowStep ?? 'member of a batch'}</a>` : null],
    ['Schedule', job.headers?.schedule ? html`<a href="schedules">${job.headers.schedule}</a>` : null],
    ['Worker', job.workerId ? html`<a href="nodes" title=${job.workerId}>${shortId(job.workerId)}</a>` : null],
    ['Trace', traceId(job.headers)],
  ]);
}

/** The second part of the W3C header is what tracing tools search for. */
function traceId(headers) {
  const id = /^[0-9a-f]{2}-([0-9a-f]{32})-/.exec(headers?.traceparent ?? '')?.[1];
  return id ? html`<code class="trace-id">${id}</code>${copyButton(id, 'the trace id')}` : null;
}

function limits({limits: all}) {
  const names = Object.keys(all ?? {});
  return names.length
    ? section('Limits', facts(names.map((name) => [html`<a href=${lanesLink(name)}>${name}</a>`, brief(all[name]) || 'all jobs share it'])))
    : nothing;
}

function headers({headers: all}) {
  const names = Object.keys(all ?? {});
  return names.length
    ? section('Headers', facts(names.map((name) => [name, html`<code>${all[name]}</code>`])))
    : nothing;
}

const related = (job) => html`
  <ul class="links">
    <li>
      <a href=${jobsLink(`state:${job.state.toLowerCase()} ${term('type', job.type)}`)}
        >${sentence(job.state)} ones of this type</a
      >
    </li>
    <li><a href=${jobsLink(term('type', job.type))}>All of this type</a></li>
    <li><a href=${jobsLink(term('queue', job.queue))}>All in this queue</a></li>
    ${job.uniqueKey ? html`<li><a href=${jobsLink(term('key', job.uniqueKey))}>With this unique key</a></li>` : nothing}
  </ul>
`;
