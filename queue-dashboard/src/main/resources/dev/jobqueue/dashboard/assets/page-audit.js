// Audit: who did what, to how many jobs, and the way back where there is one.
import {html, nothing} from './lit-html.js';
import {withQuery} from './api.js';
import {empty, jobLink, jobsLink, mark, problem, sentence} from './components.js';
import {ask} from './dialogs.js';
import {count, jobs, when} from './format.js';
import {undo} from './notes.js';
import {canGoBack} from './router.js';
import {Source} from './source.js';
import {canAct} from './store.js';

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function auditPage(start) {
  let after = start.query.get('after') ?? '';
  const entries = new Source(withQuery('audit', {after}), {
    every: 5_000,
    isHeld: () => Boolean(after) || Boolean(document.activeElement?.closest('table.audit')),
  });
  const reload = () => entries.load();
  return {
    name: 'audit',
    title: 'Audit',
    sources: [entries],
    load: reload,
    refresh: reload,
    change({query}) {
      after = query.get('after') ?? '';
      return entries.go(withQuery('audit', {after}));
    },
    view() {
      if (entries.data === undefined) return problem(entries);
      const {entries: list, next} = entries.data;
      return html`
        ${problem(entries)} ${list.length ? table(list, reload) : none(after)}
        ${
          after || next
            ? html`<nav class="pager" aria-label="Pages of the audit">
                ${after ? html`<a class="button" href="audit">First page</a>` : nothing}
                ${after && canGoBack() ? html`<button type="button" @click=${() => history.back()}>Back</button>` : nothing}
                ${next ? html`<a class="button" rel="next" href=${withQuery('audit', {after: next})}>Next page</a>` : nothing}
              </nav>`
            : nothing
        }
      `;
    },
  };
}

const none = (after) =>
  after
    ? empty('No more entries', 'This is behind the last one.')
    : empty('Nobody has acted yet', 'Each action in the dashboard leaves a line here: who, what, how many jobs, when.');

const table = (entries, reload) => html`
  <table class="audit">
    <thead>
      <tr>
        <th scope="col" class="when-column">When</th>
        <th scope="col" class="c1 user-column">Who</th>
        <th scope="col" class="wide">What</th>
        <th scope="col" class="numeric c1 jobs-column">Jobs</th>
        <th scope="col" class="action"><span class="hidden">Undo</span></th>
      </tr>
    </thead>
    <tbody>
      ${entries.map((entry) => row(entry, reload))}
    </tbody>
  </table>
`;

const row = (entry, reload) => html`
  <tr data-row>
    <td class="when-column">${when(entry.at)}</td>
    <td class="c1 user-column"><span class="cut" title=${entry.user}>${entry.user}</span></td>
    <th scope="row">
      <span>${sentence(entry.action)} ${entry.kind ?? ''}</span> ${objectOf(entry)}
      <span class="sub narrow-only">${entry.user}${entry.jobs ? ` · ${jobs(entry.jobs)}` : ''}</span>
    </th>
    <td class="numeric c1 jobs-column">${entry.jobs ? count(entry.jobs) : html`<span class="none">–</span>`}</td>
    <td class="action">
      ${
        entry.undoneAt
          ? html`<span class="undone">${mark('cancelled', 'Undone')}</span>`
          : entry.canUndo && canAct()
            ? html`<button
                type="button"
                aria-label="Undo: ${entry.action} ${entry.target ?? entry.filter ?? ''}"
                @click=${() => askUndo(entry, reload)}
              >
                Undo
              </button>`
            : nothing
      }
    </td>
  </tr>
`;

function objectOf({target, filter}) {
  if (filter) return html`<a data-open href=${jobsLink(filter)}><code>${filter}</code></a>`;
  if (target && ID.test(target)) return html`<a data-open href=${jobLink(target)}><code>${target}</code></a>`;
  return html`<span data-open tabindex="-1">${target ?? ''}</span>`;
}

async function askUndo({id, action, target, filter}, reload) {
  await ask({
    title: 'Undo this?',
    text: `${sentence(action)} ${target ?? filter ?? ''}: jobs that have moved on meanwhile stay as they are.`,
    confirm: 'Undo',
    act: () => undo(id),
  });
  reload();
}
