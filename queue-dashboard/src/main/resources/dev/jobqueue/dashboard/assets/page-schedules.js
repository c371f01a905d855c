// Schedules: when each runs next, how the last run went, and what was missed.
import {html, nothing} from './lit-html.js';
import {confirmed} from './actions.js';
import {post} from './api.js';
import {empty, jobLink, listPage, mark, quiet, quietCount, table} from './components.js';
import {span, when} from './format.js';
import {canAct} from './store.js';

export const schedulesPage = () =>
  listPage({
    name: 'schedules',
    title: 'Schedules',
    path: 'schedules',
    view: (schedules, reload) => (schedules.length ? table('schedules', columns(reload), schedules) : none()),
  });

const none = () =>
  empty(
    'No schedules',
    'A schedule publishes a job again and again. Annotate a handler, or declare a ScheduleDefinition as a bean:',
    html`<pre class="text">
@JobHandler("report.build")
@JobSchedule(cron = "0 3 * * *")
void build() { ... }</pre>`,
  );

const columns = (reload) => [
  ['Schedule', 'name', nameOf],
  ['When', 'c1', rhythm],
  ['Next', 'numeric', ({paused, retired, nextRunAt}) => (paused || retired || !nextRunAt ? quiet('–') : when(nextRunAt))],
  ['Last', 'numeric c1', ({lastRunAt}) => (lastRunAt ? when(lastRunAt) : quiet('never'))],
  ['Fired', 'numeric c2', ({fired}) => quietCount(fired)],
  ['Skipped', 'numeric c2', ({skipped}) => quietCount(skipped)],
  ['Missed', 'numeric c2', ({missed}) => quietCount(missed)],
  canAct() && ['Actions', 'action two', (schedule) => buttons(schedule, reload)],
];

function nameOf(schedule) {
  const {name, type, queue, lastJobId, problem} = schedule;
  return html`
    ${lastJobId ? html`<a data-open href=${jobLink(lastJobId)} title="Open the last run">${name}</a>` : html`<span>${name}</span>`}
    <span class="beside">${condition(schedule)}</span>
    <span class="sub">${type} · ${queue}<span class="narrow-only"> · ${rhythm(schedule)}</span></span>
    ${problem ? html`<span class="sub bad-text">${problem}</span>` : nothing}
  `;
}

function rhythm({cron, everyMs, zone}) {
  return cron ? html`<code>${cron}</code> <span class="sub inline">${zone}</span>` : html`every ${span(everyMs)}`;
}

function condition({paused, retired, problem}) {
  if (problem) return mark('critical', 'Cannot fire');
  if (retired) return mark('silent', 'Retired', '');
  return paused ? mark('paused', 'Paused') : nothing;
}

const buttons = (schedule, reload) => html`
  ${
    schedule.origin === 'API' || schedule.retired
      ? html`<button
          type="button"
          class="danger-quiet"
          aria-label="Delete ${schedule.name}"
          @click=${() => remove(schedule, reload)}
        >
          Delete
        </button>`
      : nothing
  }
  <button type="button" aria-label="Run now: ${schedule.name}" @click=${() => run(schedule, reload)}>Run now</button>
  ${
    schedule.retired
      ? nothing
      : html`<button
          type="button"
          aria-label="${schedule.paused ? 'Resume' : 'Pause'} ${schedule.name}"
          @click=${() => toggle(schedule, reload)}
        >
          ${schedule.paused ? 'Resume' : 'Pause'}
        </button>`
  }
`;

const run = ({name, type}, reload) =>
  confirmed(
    {
      title: `Run ${name} now?`,
      text: `Publishes one ${type} job at once. Its due times stay as they are.`,
      confirm: 'Run now',
      act: () => post('schedules/run', {name}),
    },
    `${name} published a job.`,
    reload,
  );

const remove = ({name}, reload) =>
  confirmed(
    {
      title: `Delete ${name}?`,
      text: 'It is gone for good. Jobs it has published go on.',
      confirm: 'Delete',
      isDanger: true,
      act: () => post('schedules/delete', {name}),
    },
    `${name} deleted.`,
    reload,
  );

const toggle = ({name, paused}, reload) =>
  confirmed(
    {
      title: `${paused ? 'Resume' : 'Pause'} ${name}?`,
      text: paused
        ? 'It fires again at its next due time.'
        : 'It publishes nothing until it is resumed. Jobs it has published go on.',
      confirm: paused ? 'Resume' : 'Pause',
      act: () => post(`schedules/${paused ? 'resume' : 'pause'}`, {name}),
    },
    `${name} ${paused ? 'resumed' : 'paused'}.`,
    reload,
  );
