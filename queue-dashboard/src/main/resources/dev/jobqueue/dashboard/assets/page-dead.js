// Dead letters, grouped by what killed them: most of the time a thousand of them are one mistake.
import {html, nothing} from './lit-html.js';
import {ACTIONS, actOnQuery} from './actions.js';
import {empty, jobLink, jobsLink, problem, shortError, term} from './components.js';
import {atLeast, jobs as jobCount, when} from './format.js';
import {Source} from './source.js';
import {canAct} from './store.js';

export function deadPage() {
  const groups = new Source('dead', {
    every: 5_000,
    isHeld: () => Boolean(document.activeElement?.closest('table.dead')),
  });
  const reload = () => groups.load();
  return {
    name: 'dead',
    title: 'Dead letters',
    sources: [groups],
    load: reload,
    refresh: reload,
    actions: () => html`<a class="button" href=${jobsLink('state:dead')}>As a list</a>`,
    view() {
      if (groups.data === undefined) return problem(groups);
      return html`${problem(groups)} ${groups.data.length ? table(groups.data, reload) : none()}`;
    },
  };
}

const none = () =>
  empty(
    'No dead letters',
    'A job comes here when its last attempt threw, or when its handler says that trying again is of no use.',
  );

const table = (groups, reload) => html`
  <table class="dead">
    <thead>
      <tr>
        <th scope="col" class="numeric count-column">Jobs</th>
        <th scope="col">Error</th>
        <th scope="col" class="c1 type-column">Type and queue</th>
        <th scope="col" class="c1 numeric when-column">Last</th>
        <th scope="col" class="c2 numeric when-column">First</th>
        ${canAct() ? html`<th scope="col" class="action two"><span class="hidden">Actions</span></th>` : nothing}
      </tr>
    </thead>
    <tbody>
      ${groups.map((group) => row(group, reload))}
    </tbody>
  </table>
`;

const queryOf = ({q, fingerprint}) => q ?? `state:dead ${term('fingerprint', fingerprint)}`;

function row(group, reload) {
  const {type, queue, error, jobs, isAtLeast, firstAt, lastAt, exampleId} = group;
  const q = queryOf(group);
  const name = `${jobCount(jobs, isAtLeast)} of ${type}`;
  return html`
    <tr data-row>
      <td class="numeric count-column"><b>${atLeast(jobs, isAtLeast)}</b></td>
      <th scope="row">
        <a data-open class="error-text" href=${jobsLink(q)} title=${error}
          >${shortError(error) || 'Without an error'}</a
        >
        <span class="sub">
          <span class="narrow-only">${type} · ${when(lastAt)} · </span>
          ${exampleId ? html`<a href=${jobLink(exampleId)} aria-label="Example of: ${error}">Example</a>` : nothing}
        </span>
      </th>
      <td class="c1 type-column">
        <span class="cut" title=${type}>${type}</span><span class="sub cut">${queue}</span>
      </td>
      <td class="c1 numeric when-column">${when(lastAt)}</td>
      <td class="c2 numeric when-column">${when(firstAt)}</td>
      ${
        canAct()
          ? html`<td class="action two">
              ${['replay', 'purge'].map(
                (action) =>
                  html`<button
                    type="button"
                    class=${ACTIONS[action].isDanger ? 'danger-quiet' : ''}
                    aria-label="${ACTIONS[action].label} ${name}"
                    @click=${() => actOnQuery(action, q, reload, `${type} of this group`)}
                  >
                    ${ACTIONS[action].label}
                  </button>`,
              )}
            </td>`
          : nothing
      }
    </tr>
  `;
}
