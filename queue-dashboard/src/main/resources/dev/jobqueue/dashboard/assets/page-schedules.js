// Schedules: when each runs next, how the last run went, and what was missed.
import {html, nothing} from './lit-html.js';
import {post} from './api.js';
import {empty, jobLink, mark, problem} from './components.js';
import {ask} from './dialogs.js';
import {count, span, when} from './format.js';
import {note} from './notes.js';
import {Source} from './source.js';
import {canAct} from './store.js';

export function schedulesPage() {
  const schedules = new Source('schedules', {every: 5_000});
  const reload = () => schedules.load();
  return {
    name: 'schedules',
    title: 'Schedules',
    sources: [schedules],
    load: reload,
    refresh: reload,
    view() {
      if (schedules.data === undefined) return problem(schedules);
      return html`${problem(schedules)} ${schedules.data.length ? table(schedules.data, reload) : none()}`;
    },
  };
}

const none = () =>
  empty(
    'No schedules',
    'A schedule publishes a job again and again. Annotate a handler, or declare a ScheduleDefinition as a bean:',
    html`<pre class="text">
@JobHandler("report.build")
@JobSchedule(cron = "0 3 * * *")
void build() { ... }</pre>`,
  );

const table = (schedules, reload) => html`
  <table class="schedules">
    <thead>
      <tr>
        <th scope="col" class="wide">Schedule</th>
        <th scope="col" class="c1">When</th>
        <th scope="col" class="numeric">Next</th>
        <th scope="col" class="numeric c1">Last</th>
        <th scope="col" class="numeric c2">Fired</th>
        <th scope="col" class="numeric c2">Skipped</th>
        <th scope="col" class="numeric c2">Missed</th>
        ${canAct() ? html`<th scope="col" class="action two"><span class="hidden">Actions</span></th>` : nothing}
      </tr>
    </thead>
    <tbody>
      ${schedules.map((schedule) => row(schedule, reload))}
    </tbody>
  </table>
`;

function row(schedule, reload) {
  const {name, type, queue, paused, retired, nextRunAt, lastRunAt, lastJobId, fired, skipped, missed} = schedule;
  return html`
    <tr data-row>
      <th scope="row">
        ${lastJobId ? html`<a data-open href=${jobLink(lastJobId)} title="Open the last run">${name}</a>` : html`<span>${name}</span>`}
        <span class="beside">${condition(schedule)}</span>
        <span class="sub">${type} · ${queue}<span class="narrow-only"> · ${rhythm(schedule)}</span></span>
        ${schedule.problem ? html`<span class="sub bad-text">${schedule.problem}</span>` : nothing}
      </th>
      <td class="c1">${rhythm(schedule)}</td>
      <td class="numeric">${paused || retired || !nextRunAt ? html`<span class="none">–</span>` : when(nextRunAt)}</td>
      <td class="numeric c1">${lastRunAt ? when(lastRunAt) : html`<span class="none">never</span>`}</td>
      <td class="numeric c2">${quiet(fired)}</td>
      <td class="numeric c2">${quiet(skipped)}</td>
      <td class="numeric c2">${quiet(missed)}</td>
      ${
        canAct()
          ? html`<td class="action two">
              <button type="button" aria-label="Run now: ${name}" @click=${() => run(schedule, reload)}>Run now</button>
              ${
                retired
                  ? nothing
                  : html`<button
                      type="button"
                      aria-label="${paused ? 'Resume' : 'Pause'} ${name}"
                      @click=${() => toggle(schedule, reload)}
                    >
                      ${paused ? 'Resume' : 'Pause'}
                    </button>`
              }
            </td>`
          : nothing
      }
    </tr>
  `;
}

const quiet = (number) => (number ? count(number) : html`<span class="none">0</span>`);

const rhythm = ({cron, everyMs, zone}) =>
  cron ? html`<code>${cron}</code> <span class="sub inline">${zone}</span>` : html`every ${span(everyMs)}`;

function condition({paused, retired, problem: text}) {
  if (text) return mark('critical', 'Cannot fire');
  if (retired) return mark('silent', 'Retired', '');
  if (paused) return mark('paused', 'Paused');
  return nothing;
}

async function run({name, type}, reload) {
  const isDone = await ask({
    title: `Run ${name} now?`,
    text: `Publishes one ${type} job at once. Its due times stay as they are.`,
    confirm: 'Run now',
    act: () => post(`schedules/${encodeURIComponent(name)}/run`),
  });
  if (!isDone) return;
  note(`${name} published a job.`);
  reload();
}

async function toggle({name, paused}, reload) {
  const isDone = await ask({
    title: `${paused ? 'Resume' : 'Pause'} ${name}?`,
    text: paused
      ? 'It fires again at its next due time.'
      : 'It publishes nothing until it is resumed. Jobs it has published go on.',
    confirm: paused ? 'Resume' : 'Pause',
    act: () => post(`schedules/${encodeURIComponent(name)}/${paused ? 'resume' : 'pause'}`),
  });
  if (!isDone) return;
  note(`${name} ${paused ? 'resumed' : 'paused'}.`);
  reload();
}
