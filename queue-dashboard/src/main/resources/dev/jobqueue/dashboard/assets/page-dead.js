// Dead letters, grouped by what killed them: most of the time a thousand of them are one mistake.
import {html, nothing} from './lit-html.js';
import {ACTIONS, actOnQuery} from './actions.js';
import {empty, jobLink, jobsLink, listPage, shortError, table} from './components.js';
import {atLeast, jobs as jobCount, when} from './format.js';
import {canAct} from './store.js';

export const deadPage = () =>
  listPage({
    name: 'dead',
    title: 'Dead letters',
    path: 'dead',
    isHeld: true,
    actions: () => html`<a class="button" href=${jobsLink('state:dead')}>As a list</a>`,
    view: (groups, reload) => (groups.length ? table('dead', columns(reload), groups) : none()),
  });

const none = () =>
  empty(
    'No dead letters',
    'A job comes here when its last attempt threw, or when its handler says that trying again is of no use.',
  );

const columns = (reload) => [
  ['Jobs', 'numeric count-column', ({jobs, isAtLeast}) => html`<b>${atLeast(jobs, isAtLeast)}</b>`],
  [
    'Error',
    'name',
    ({q, error, type, lastAt, exampleId}) => html`
      <a data-open class="error-text" href=${jobsLink(q)} title=${error}>${shortError(error) || 'Without an error'}</a>
      <span class="sub">
        <span class="narrow-only">${type} · ${when(lastAt)} · </span>
        ${exampleId ? html`<a href=${jobLink(exampleId)} aria-label="Example of: ${error}">Example</a>` : nothing}
      </span>
    `,
  ],
  [
    'Type and queue',
    'c1 type-column',
    ({type, queue}) => html`<span class="cut" title=${type}>${type}</span><span class="sub cut">${queue}</span>`,
  ],
  ['Last', 'c1 numeric when-column', ({lastAt}) => when(lastAt)],
  ['First', 'c2 numeric when-column', ({firstAt}) => when(firstAt)],
  canAct() && ['Actions', 'action two', (group) => ['replay', 'purge'].map((action) => button(action, group, reload))],
];

const button = (action, {q, type, jobs, isAtLeast}, reload) => html`
  <button
    type="button"
    class=${ACTIONS[action].isDanger ? 'danger-quiet' : ''}
    aria-label="${ACTIONS[action].label} ${jobCount(jobs, isAtLeast)} of ${type}"
    @click=${() => actOnQuery(action, q, reload, `${type} of this group`)}
  >
    ${ACTIONS[action].label}
  </button>
`;
