// Batches and flows: how far each is, and of one flow the graph of its steps.
import {html, nothing} from './lit-html.js';
import {confirmed} from './actions.js';
import {post, withQuery} from './api.js';
import {
  copyButton,
  empty,
  facts,
  jobLink,
  jobsLink,
  listPage,
  lookFurther,
  mark,
  pager,
  problem,
  progress,
  quiet,
  section,
  segments,
  sentence,
  table,
  term,
} from './components.js';
import {both, count, shortId, span, when} from './format.js';
import {graph} from './graph.js';
import {parse} from './json.js';
import {go} from './router.js';
import {Source} from './source.js';
import {canAct, now} from './store.js';

const STATES = {
  RUNNING: 'running',
  COMPENSATING: 'compensating',
  SUCCEEDED: 'completed',
  FAILED: 'dead',
  CANCELLED: 'cancelled',
};

const KINDS = {BATCH: 'Batch', FLOW: 'Flow'};

export const flowLink = (id) => `flows/${encodeURIComponent(id)}`;

const isOver = ({finishedAt}) => Boolean(finishedAt);

const stateOf = ({state, cancelling}) =>
  html`${mark(STATES[state], sentence(state))} ${cancelling ? mark('cancelled', 'Being cancelled') : nothing}`;

export function flowsPage({query}) {
  const asked = Object.fromEntries(['kind', 'name', 'key', 'state', 'parent', 'after'].map((each) => [each, query.get(each)]));
  const {after, ...filter} = asked;
  return listPage({
    name: 'flows',
    title: 'Flows',
    path: withQuery('flows', asked),
    isHeld: true,
    view: ({flows, next}) => html`
      ${choices(filter)} ${flows.length ? table('flows', COLUMNS, flows) : noFlows(filter, after, next)}
      ${pager('flows', {
        after,
        first: withQuery('flows', filter),
        next: next && flows.length ? withQuery('flows', {...filter, after: next}) : null,
      })}
    `,
  });
}

const choices = (filter) => html`
  <form class="bar choices" role="search" @submit=${(event) => search(event, filter)}>
    ${segments(
      'State',
      [null, ...Object.keys(STATES)].map((state) => ({
        href: withQuery('flows', {...filter, state}),
        text: state ? sentence(state) : 'All',
        isCurrent: filter.state === state,
      })),
    )}
    <select name="kind" aria-label="Kind" @change=${(event) => event.target.form.requestSubmit()}>
      <option value="">Batches and flows</option>
      ${Object.keys(KINDS).map((kind) => html`<option value=${kind} ?selected=${kind === filter.kind}>${KINDS[kind]}</option>`)}
    </select>
    <input
      name="words"
      aria-label="Name and key"
      placeholder="Name and key"
      .value=${[filter.name, filter.key].filter(Boolean).join(' ')}
    />
  </form>
`;

function search(event, filter) {
  event.preventDefault();
  const form = new FormData(event.target);
  const [name, ...key] = form.get('words').trim().split(/\s+/);
  go(withQuery('flows', {...filter, kind: form.get('kind'), name, key: key.join(' ')}));
}

function noFlows(filter, after, next) {
  if (next) return lookFurther(withQuery('flows', {...filter, after: next}), 'batches and flows');
  if (after) return empty('No more', 'This is behind the last one.');
  if (Object.values(filter).some(Boolean)) return empty('Nothing matches', 'Choose another state, or take a word out.');
  return empty(
    'No batches and flows yet',
    'A batch is many jobs of which somebody wants to know the end, a flow is steps that come one after the other.',
    html`<pre class="text">jobs.publish(Flow.of("order", orderId)
    .step("pay", new Pay(orderId))
    .step("pack", new Pack(orderId)).after("pay"));</pre>`,
  );
}

const COLUMNS = [
  ['State', 'state-column', stateOf],
  [
    'Name',
    'name',
    (flow) => html`
      <a data-open href=${flowLink(flow.id)}>${flow.name}</a>
      ${flow.key ? html`<span class="id key">${flow.key}</span>` : nothing}
      <span class="narrow-only sub">${KINDS[flow.kind]} · ${progressOf(flow)}</span>
    `,
  ],
  ['Kind', 'c1 count-column', ({kind}) => KINDS[kind]],
  ['Progress', 'c1 progress-column', progressOf],
  ['Age', 'numeric c1 when-column', ({createdAt}) => when(createdAt)],
  ['Duration', 'numeric c2 when-column', (flow) => span(durationOf(flow))],
];

const durationOf = ({createdAt, finishedAt}) =>
  Math.floor(((finishedAt ? Date.parse(finishedAt) : now()) - Date.parse(createdAt)) / 1_000) * 1_000;

function progressOf({name, done, dead, cancelled, total}) {
  return html`${progress(done + dead + cancelled, total || 1, `Progress of ${name}`)}
    <span class="sub inline"
      >${count(done)} of ${count(total)}${dead ? html`, <span class="bad-text">${count(dead)} dead</span>` : nothing}${
        cancelled ? `, ${count(cancelled)} cancelled` : ''
      }</span
    >`;
}

export function flowPage(start) {
  const id = start.arguments[0];
  const source = new Source(flowLink(id), {every: 2_000, isHeld: () => Boolean(source.data && isOver(source.data.flow))});
  const flow = () => source.data && {...source.data.flow, graph: source.data.graph, waits: source.data.waits};
  const reload = () => source.load();
  return {
    name: 'flows',
    get title() {
      return flow()?.name ?? 'Flow';
    },
    sources: [source],
    load: reload,
    refresh: reload,
    actions: () => (flow() && canAct() ? buttons(flow(), reload) : nothing),
    view() {
      if (source.error?.status === 404) return gone(id);
      return html`${problem(source)} ${flow() ? oneView(flow()) : nothing}`;
    },
  };
}

const gone = (id) =>
  empty(
    'No such batch or flow',
    html`None has the id <code>${id}</code>. It may have finished, and be pruned.`,
    html`<p><a class="button" href="flows">All of them</a></p>`,
  );

const oneView = (flow) => html`
  <div class="job-line">
    ${stateOf(flow)} ${flow.round > 1 ? html`<span class="sub">Round ${flow.round}</span>` : nothing}
    <span class="id-full"><code>${flow.id}</code>${copyButton(flow.id, 'the id')}</span>
  </div>
  <div class="running-now">${progressOf(flow)}</div>
  ${flow.problem ? html`<p class="refused">${flow.problem}</p>` : nothing}
  ${waitsOf(flow)} ${flow.graph ? section('Steps', graph(flow.graph), flow.graph.truncated ? html`<span class="sub">The first 1,000</span>` : nothing) : nothing}
  <div class="flow-columns">${section(flow.kind === 'BATCH' ? 'Members' : 'Jobs', members(flow))} ${section('Facts', flowFacts(flow))}</div>
`;

/** The steps that have begun, or if none has, those that cannot. */
function waitsOf({waits}) {
  if (!waits?.steps.length) return nothing;
  return section(
    'What it waits for',
    html`<ul class="why">
      ${waits.steps.map(
        ({name, jobId, why}) =>
          html`<li><a href=${jobLink(jobId)}>${name}</a> ${why.map(({message}) => html`<span class="sub">${message} </span>`)}</li>`,
      )}
      ${waits.more ? html`<li class="sub">and ${count(waits.more)} more</li>` : nothing}
    </ul>`,
  );
}

function members({id, total, done, dead, cancelled}) {
  const link = (number, state, label) => [
    sentence(label),
    number
      ? html`<a href=${jobsLink(`${state ? `state:${state} ` : ''}${term('flow', id)}`)}>${count(number)}</a>`
      : quiet('0'),
  ];
  return facts([
    link(done, 'completed', 'completed'),
    link(dead, 'dead', 'dead'),
    link(cancelled, 'cancelled', 'cancelled'),
    ['Not ended', total - done - dead - cancelled ? count(total - done - dead - cancelled) : quiet('0')],
    link(total, null, 'all'),
  ]);
}

const flowFacts = (flow) =>
  facts([
    ['Kind', KINDS[flow.kind]],
    ['Key', flow.key ? html`<code>${flow.key}</code>` : null],
    ['Published', both(flow.createdAt)],
    ['Finished', both(flow.finishedAt)],
    ['Duration', span(durationOf(flow))],
    ['Part of', flow.parent ? html`<a href=${flowLink(flow.parent)}>${shortId(flow.parent)}</a>` : null],
    ['Same name', html`<a href=${withQuery('flows', {name: flow.name})}>All of ${flow.name}</a>`],
  ]);

function buttons(flow, reload) {
  const signals = (flow.graph?.nodes ?? [])
    .filter(({kind, state}) => kind === 'signal' && (state === 'BLOCKED' || state === 'FREE'))
    .map(({name}) => name);
  return html`
    ${signals.length ? html`<button type="button" @click=${() => signal(flow, signals, reload)}>Signal…</button>` : nothing}
    ${
      isOver(flow) || flow.cancelling
        ? nothing
        : html`<button type="button" class="danger-quiet" @click=${() => cancel(flow, reload)}>Cancel</button>`
    }
  `;
}

const cancel = ({id, kind, name}, reload) =>
  confirmed(
    {
      title: `Cancel ${name}?`,
      text: 'What has not ended is cancelled, also within it. Handlers that run are asked to stop.',
      confirm: 'Cancel',
      isDanger: true,
      fields:
        kind === 'FLOW'
          ? [{name: 'compensate', label: 'Steps that are done', value: 'false', options: {false: 'Stay done', true: 'Are compensated'}}]
          : [],
      act: ({compensate}) => post(`${flowLink(id)}/cancel`, {compensate: compensate === 'true'}),
    },
    `${name} is being cancelled.`,
    reload,
  );

const signal = ({id, name}, signals, reload) =>
  confirmed(
    {
      title: `Signal ${name}?`,
      text: 'The step ends, and its children go on. The first signal counts.',
      confirm: 'Signal',
      fields: [
        {name: 'step', label: 'Step', value: signals[0], options: Object.fromEntries(signals.map((each) => [each, each]))},
        {name: 'payload', label: 'Result, as JSON', type: 'text', value: '', isOptional: true, hint: 'Empty for none.'},
      ],
      act: ({step, payload}) => post(`${flowLink(id)}/signal`, {step, payload: payload.trim() ? parse(payload) : null}),
    },
    `${name} signalled.`,
    reload,
  );
