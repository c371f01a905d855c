// Limits, and of one limit its lanes: who is let start, who waits, and what holds them back.
import {html, nothing} from './lit-html.js';
import {confirmed, localInput} from './actions.js';
import {post, withQuery} from './api.js';
import {empty, jobLink, listPage, lookFurther, mark, pager, quiet, quietCount, table} from './components.js';
import {atLeast, brief, count, jobs, shortId, span, when} from './format.js';
import {go} from './router.js';
import {canAct, now} from './store.js';

/** Counting stops there. */
const MOST = 1_000;

const KINDS = {LIMIT: 'Limit', FIFO: 'FIFO', FAIR: 'Fair'};

const AT_LIMIT = {
  WAIT: 'Wait',
  DROP: 'Drop',
  REPLACE: 'Keep the newest',
  CANCEL_RUNNING: 'Stop the oldest',
};

const ON_DEAD = {BLOCK: 'Dead blocks', CONTINUE: 'Dead passes'};

export const lanesLink = (limit) => withQuery('lanes', {limit});

export function lanesPage({query}) {
  const limit = query.get('limit');
  return limit === null ? limitsPage() : lanesOf({limit, blocked: query.get('blocked'), after: query.get('after')});
}

const limitsPage = () =>
  listPage({
    name: 'lanes',
    title: 'Lanes',
    path: 'limits',
    isHeld: true,
    view: (limits, reload) => (limits.length ? table('lanes', limitColumns(reload), limits) : noLimits()),
  });

const noLimits = () =>
  empty(
    'No limits',
    'A limit says how many jobs of a key run at once or start in a time, over all nodes. Annotate a handler:',
    html`<pre class="text">
@JobHandler("crm.sync")
@Limit(name = "crm", key = "account", running = 2)
void sync(SyncAccount payload) { ... }</pre>`,
  );

const limitColumns = (reload) => [
  [
    'Limit',
    'name',
    (limit) => html`
      <a data-open href=${lanesLink(limit.name)}>${limit.name}</a>
      <span class="beside">${blockedOf(limit)}</span>
      <span class="sub">${limit.uses.map(useOf).join(', ') || 'Used by no type or queue'}</span>
      <span class="narrow-only sub">${ruleOf(limit)}</span>
    `,
  ],
  ['Kind', 'c1', ({kind}) => KINDS[kind]],
  ['At once', 'numeric c1', ({kind, running}) => (kind === 'FIFO' ? '1' : (running ?? quiet('any')))],
  ['Rate', 'numeric c1', ({rate}) => rate ?? quiet('any')],
  ['Burst', 'numeric c2', ({burst}) => burst ?? quiet('–')],
  ['At the limit', 'c2', atLimitOf],
  ['Running', 'numeric', ({held}) => quietCount(held)],
  ['Waiting', 'numeric', ({waiting}) => quietCount(waiting)],
  canAct() && ['Action', 'action', (limit) => button('Change…', `Change ${limit.name}`, () => change(limit, reload))],
];

const ruleOf = ({kind, running, rate}) =>
  [KINDS[kind], kind !== 'FIFO' && running && `${running} at once`, rate].filter(Boolean).join(' · ');

const blockedOf = ({name, blocked}) =>
  blocked
    ? html`<a href=${withQuery('lanes', {limit: name, blocked: true})}>${mark('dead', `${count(blocked)} blocked`)}</a>`
    : nothing;

function useOf({type, queue, key}) {
  return `${type ?? `queue ${queue}`}${key ? ` by ${key.replace(/^header:/, 'header ')}` : ''}`;
}

function atLimitOf({kind, atLimit, onDead}) {
  return kind === 'FIFO' ? ON_DEAD[onDead] : AT_LIMIT[atLimit];
}

const waitingOf = (waiting) => (waiting ? atLeast(waiting, waiting >= MOST) : quiet('0'));

const button = (text, label, act) =>
  html`<button type="button" aria-label=${label} @click=${act}>${text}</button>`;

function lanesOf(asked) {
  const {limit, blocked, after} = asked;
  return listPage({
    name: 'lanes',
    title: `${blocked ? 'Blocked lanes' : 'Lanes'} of ${limit}`,
    path: withQuery('lanes', asked),
    isHeld: true,
    actions: () => html`<a class="button" href="lanes">All limits</a>
      ${
        canAct() && !blocked
          ? html`<button type="button" @click=${() => apply(limit)}>Apply…</button>
              <button type="button" class="danger-quiet" @click=${() => remove(limit)}>Remove</button>`
          : nothing
      }`,
    view: ({lanes, next}, reload) => html`
      ${lanes.length ? table('lanes', laneColumns(limit, reload), lanes) : noLanes({limit, blocked, after, next})}
      ${pager('lanes', {
        after,
        first: withQuery('lanes', {limit, blocked}),
        next: next && lanes.length ? withQuery('lanes', {limit, blocked, after: next}) : null,
      })}
    `,
  });
}

function noLanes({limit, blocked, after, next}) {
  if (next) return lookFurther(withQuery('lanes', {limit, blocked, after: next}), 'lanes');
  if (after) return empty('No more lanes', 'This is behind the last one.');
  if (blocked) return empty('No lane is blocked', 'None stands behind a dead letter.');
  return empty('No lane is in use', 'A lane is there while jobs of its key run or wait for the limit, or it is closed.');
}

const laneColumns = (limit, reload) => [
  [
    'Key',
    'name',
    (lane) => html`
      <span data-open tabindex="-1" title=${lane.key}>${nameOf(lane)}</span>
      <span class="beside">${conditionOf(lane)}</span>
    `,
  ],
  [
    'Running',
    'numeric',
    ({held, running}) =>
      html`${quietCount(held)}${running === null ? nothing : html`<span class="of"> / ${count(running)}</span>`}`,
  ],
  ['Waiting', 'numeric', ({waiting}) => waitingOf(waiting)],
  ['Oldest', 'numeric c1', ({waiting, oldestMs}) => (waiting ? span(oldestMs) : quiet('–'))],
  canAct() && ['Actions', 'action two', (lane) => laneButtons(limit, lane, reload)],
];

const nameOf = ({key}) => brief(key) || 'without a key';

function conditionOf({held, running, opensAt, blockedBy}) {
  if (blockedBy) return html`<a href=${jobLink(blockedBy)}>${mark('dead', `Blocked by ${shortId(blockedBy)}`)}</a>`;
  if (opensAt) return mark('paused', html`Opens ${when(opensAt)}`);
  return running !== null && held >= running ? mark('waiting', 'Full') : nothing;
}

const laneButtons = (limit, lane, reload) => html`
  ${lane.blockedBy ? button('Release', `Release ${nameOf(lane)}`, () => release(limit, lane, reload)) : nothing}
  ${
    lane.opensAt
      ? button('Open', `Open ${nameOf(lane)}`, () => open(limit, lane, reload))
      : button('Close…', `Close ${nameOf(lane)}`, () => close(limit, lane, reload))
  }
`;

const release = (limit, lane, reload) =>
  confirmed(
    {
      title: `Release ${nameOf(lane)}?`,
      text: `The lane goes on without the job it stands behind: ${jobs(lane.waiting, lane.waiting >= MOST)} can start, one after the other. If that job runs later, it is out of order.`,
      confirm: 'Release',
      isDanger: true,
      act: () => post('limits/release', {name: limit, key: lane.key}),
    },
    `${nameOf(lane)} released.`,
    reload,
  );

const close = (limit, lane, reload) =>
  confirmed(
    {
      title: `Close ${nameOf(lane)}?`,
      text: 'No job of the lane starts until then. Those that run go on.',
      confirm: 'Close',
      fields: [
        {name: 'until', label: 'Closed until', type: 'datetime-local', value: localInput(now() + 600_000), step: 1},
      ],
      act: ({until}) => post('limits/close', {name: limit, key: lane.key, until: new Date(until).toISOString()}),
    },
    `${nameOf(lane)} closed.`,
    reload,
  );

const open = (limit, lane, reload) =>
  confirmed(
    {
      title: `Open ${nameOf(lane)}?`,
      text: 'Its jobs start as the limit lets them. A rate is kept all the same.',
      confirm: 'Open',
      act: () => post('limits/open', {name: limit, key: lane.key}),
    },
    `${nameOf(lane)} opened.`,
    reload,
  );

function change(limit, reload) {
  const {name, kind, running, rate, burst, atLimit, onDead, weights} = limit;
  const isFifo = kind === 'FIFO';
  return confirmed(
    {
      title: `Change ${name}?`,
      text: 'It counts at once, on all nodes, and stays when applications start that want other values.',
      confirm: 'Change',
      fields: [
        isFifo
          ? number('running', 'Series', running, 'Jobs of a key that go to a worker together. Empty for one.')
          : number('running', 'At once', running, 'Of a key. Empty for any number.'),
        {
          ...number('rate', 'Rate', rate, 'Starts in a time, such as 100/10s. Empty for any number.'),
          type: 'text',
        },
        number('burst', 'Burst', burst, 'Starts of the rate that may come at once.'),
        isFifo
          ? {name: 'onDead', label: 'At a dead letter', value: onDead, options: ON_DEAD}
          : {name: 'atLimit', label: 'At the limit', value: atLimit, options: AT_LIMIT},
        kind === 'FAIR' && {
          ...number('weights', 'Jobs in a turn', JSON.stringify(weights), 'By key, such as {"acme": 3, "*": 1}.'),
          type: 'text',
        },
      ].filter(Boolean),
      act: ({weights, ...values}) =>
        post('limits/change', {name, ...numbers(values), weights: weights === '' ? {} : weights && JSON.parse(weights)}),
    },
    `${name} changed.`,
    reload,
  );
}

/** Which types and queues have a limit, the list of limits says. */
const toList = () => go('lanes');

const remove = (name) =>
  confirmed(
    {
      title: `Remove ${name}?`,
      text: 'What waits for it starts. An application that defines it sets it again when it starts.',
      confirm: 'Remove',
      isDanger: true,
      act: () => post('limits/remove', {name}),
    },
    `${name} removed.`,
    toList,
  );

const apply = (name) =>
  confirmed(
    {
      title: `Apply ${name}?`,
      text: 'It counts for jobs that are published from now on, besides the other limits they have.',
      confirm: 'Apply',
      fields: [
        {name: 'action', label: 'What', value: 'apply', options: {apply: 'Apply', lift: 'Lift, if they have it'}},
        {name: 'what', label: 'To', value: 'type', options: {type: 'Jobs of the type', queue: 'Jobs in the queue'}},
        {name: 'of', label: 'Type or queue', type: 'text'},
        {name: 'key', label: 'Counted by', type: 'text', isOptional: true, hint: 'account.id or header:tenant. Empty if all share it.'},
      ],
      act: ({action, what, of, key}) => post(`limits/${action}`, {name, [what]: of.trim(), key: key.trim()}),
    },
    `${name} changed.`,
    toList,
  );

const number = (name, label, value, hint) => ({name, label, value, hint, type: 'number', min: 1, isOptional: true});

/** What is left empty is null; numbers are no texts. */
const numbers = (values) =>
  Object.fromEntries(
    Object.entries(values).map(([name, text]) => [
      name,
      text.trim() === '' ? null : /^(running|burst)$/.test(name) ? Number(text) : text.trim(),
    ]),
  );
