// Audit: who did what, to how many jobs, and the way back where there is one.
import {html, nothing} from './lit-html.js';
import {withQuery} from './api.js';
import {empty, jobLink, jobsLink, mark, pager, problem, quiet, sentence, table} from './components.js';
import {ask} from './dialogs.js';
import {brief, count, jobs, shortId, when} from './format.js';
import {undo} from './notes.js';
import {flowLink} from './page-flows.js';
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
        ${problem(entries)} ${list.length ? table('audit', columns(reload), list) : none(after)}
        ${pager('the audit', {after, first: 'audit', next: next && withQuery('audit', {after: next})})}
      `;
    },
  };
}

const none = (after) =>
  after
    ? empty('No more entries', 'This is behind the last one.')
    : empty('Nobody has acted yet', 'Each action in the dashboard leaves a line here: who, what, how many jobs, when.');

const columns = (reload) => [
  ['When', 'when-column', ({at}) => when(at)],
  ['Who', 'c1 user-column', ({user}) => html`<span class="cut" title=${user}>${user}</span>`],
  [
    'What',
    'name',
    (entry) => html`
      <span>${sentence(entry.action)} ${entry.kind ?? ''}</span> ${objectOf(entry)}
      <span class="sub narrow-only">${entry.user}${entry.jobs ? ` · ${jobs(entry.jobs)}` : ''}</span>
    `,
  ],
  ['Jobs', 'numeric c1 jobs-column', ({jobs: number}) => (number ? count(number) : quiet('–'))],
  ['Undo', 'action', (entry) => wayBack(entry, reload)],
];

function wayBack(entry, reload) {
  if (entry.undoneAt) return html`<span class="undone">${mark('cancelled', 'Undone')}</span>`;
  if (!entry.canUndo || !canAct()) return nothing;
  const label = `Undo: ${entry.action} ${entry.target ?? entry.filter ?? ''}`;
  return html`<button type="button" aria-label=${label} @click=${() => askUndo(entry, reload)}>Undo</button>`;
}

function objectOf({kind, target, filter}) {
  if (filter) return html`<a data-open href=${jobsLink(filter)}><code>${filter}</code></a>`;
  if (target && ID.test(target)) return html`<a data-open href=${kind === 'flow' ? flowLink(target) : jobLink(target)} title=${target}><code class="id">${shortId(target)}</code></a>`;
  return html`<span data-open tabindex="-1" title=${target ?? nothing}>${brief(target ?? '')}</span>`;
}

async function askUndo({id, action, target, filter}, reload) {
  await ask({
    title: 'Undo this?',
    text: `${sentence(action)} ${brief(target ?? filter ?? '')}: jobs that have moved on meanwhile stay as they are.`,
    confirm: 'Undo',
    act: () => undo(id),
  });
  reload();
}
