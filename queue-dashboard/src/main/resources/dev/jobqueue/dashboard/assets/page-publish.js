// A form that publishes one job by hand, where the application allows it.
import {html, nothing} from './lit-html.js';
import {post} from './api.js';
import {empty, jobLink} from './components.js';
import {icon} from './icons.js';
import {parse} from './json.js';
import {note} from './notes.js';
import {go} from './router.js';
import {canPublish, redraw, shared} from './store.js';

export function publishPage({query}) {
  const fields = {
    type: query.get('type') ?? '',
    queue: query.get('queue') ?? '',
    payload: '{}',
    priority: '0',
    delay: '0',
    uniqueKey: '',
  };
  let error = null;
  let isBusy = false;

  const set = (name) => (event) => {
    fields[name] = event.target.value;
    error = null;
    redraw();
  };

  async function submit(event) {
    event.preventDefault();
    if (isBusy) return;
    let payload;
    try {
      payload = parse(fields.payload);
    } catch (problem) {
      error = `The payload is not JSON: ${problem.message}`;
      redraw();
      document.getElementById('payload').focus();
      return;
    }
    isBusy = true;
    redraw();
    try {
      const {id} = await post('publish', {
        type: fields.type.trim(),
        queue: fields.queue.trim() || null,
        payload,
        priority: Number(fields.priority),
        delayMs: Math.round(Number(fields.delay) * 1_000),
        uniqueKey: fields.uniqueKey.trim() || null,
      });
      note(id ? `${fields.type} published.` : 'A live job has this unique key already; nothing was published.');
      if (id) go(jobLink(id));
    } catch (problem) {
      error = problem.message;
    }
    isBusy = false;
    redraw();
  }

  return {
    name: 'jobs',
    title: 'Publish a job',
    sources: [],
    load: async () => {},
    refresh: async () => {},
    view() {
      if (!canPublish()) {
        return empty(
          'Publishing by hand is off',
          'It takes queue.dashboard.publish=true in the application, and a role that may act.',
        );
      }
      const queues = shared.overview?.queues ?? [];
      return html`
        <form class="publish-form" @submit=${submit}>
          <label class="field">
            <span>Type</span>
            <input required .value=${fields.type} @input=${set('type')} autocomplete="off" spellcheck="false" />
          </label>
          <label class="field">
            <span>Queue</span>
            <input
              list="queue-names"
              .value=${fields.queue}
              @input=${set('queue')}
              autocomplete="off"
              spellcheck="false"
            />
            <span class="hint">Empty for the default of the type.</span>
          </label>
          <datalist id="queue-names">${queues.map(({queue}) => html`<option value=${queue}></option>`)}</datalist>
          <label class="field whole">
            <span>Payload, as JSON</span>
            <textarea
              id="payload"
              rows="8"
              spellcheck="false"
              .value=${fields.payload}
              @input=${set('payload')}
            ></textarea>
          </label>
          <label class="field">
            <span>Priority</span>
            <input type="number" step="1" required .value=${fields.priority} @input=${set('priority')} />
            <span class="hint">Higher runs first.</span>
          </label>
          <label class="field">
            <span>Delay in seconds</span>
            <input type="number" min="0" step="any" required .value=${fields.delay} @input=${set('delay')} />
          </label>
          <label class="field">
            <span>Unique key</span>
            <input .value=${fields.uniqueKey} @input=${set('uniqueKey')} autocomplete="off" spellcheck="false" />
            <span class="hint">At most one live job of the type has it.</span>
          </label>
          <p class="refused whole" role="alert" ?hidden=${!error}>${icon('warning')}<span>${error ?? nothing}</span></p>
          <div class="buttons whole"><button class="primary" ?disabled=${isBusy}>Publish</button></div>
        </form>
      `;
    },
  };
}
