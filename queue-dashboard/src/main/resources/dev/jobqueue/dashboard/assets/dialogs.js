// One dialog at a time, made of the browser's own <dialog>: it keeps the focus inside and closes with Escape.
import {html, nothing, render} from './lit-html.js';
import {GO_TO, shortcuts} from './keys.js';
import {icon} from './icons.js';

let open = null;

/**
 * Asks before something happens.
 *
 * @param {object} options title; text; confirm (the word on the button); isDanger; fields, of which those with options are
 *     choices; find, an async function whose
 *     text stands in the dialog and which refuses by returning {isAllowed: false}; act, called with the values of the fields.
 *     The dialog stays open with the message if act throws.
 * @returns {Promise<*>} what act returned, or null if the reader went back
 */
export function ask(options) {
  return new Promise((resolve) => {
    show({
      ...options,
      found: options.find ? null : {isAllowed: true},
      resolve,
    });
  });
}

function show(dialog) {
  open = {error: null, isBusy: false, ...dialog};
  const mine = open;
  draw();
  root().querySelector('dialog').showModal();
  root().querySelector('[autofocus]')?.focus();
  open.find?.().then(
    (found) => settle(mine, {found}),
    (error) => settle(mine, {error: error.message}),
  );
}

const root = () => document.getElementById('dialogs');

function settle(dialog, change) {
  if (open !== dialog) return;
  Object.assign(dialog, change);
  draw();
}

function close(result = null) {
  const {resolve} = open;
  open = null;
  draw();
  resolve?.(result);
}

async function submit(event) {
  event.preventDefault();
  const dialog = open;
  if (dialog.isBusy || !dialog.found?.isAllowed) return;
  const values = Object.fromEntries(new FormData(event.target));
  settle(dialog, {isBusy: true, error: null});
  try {
    const result = await dialog.act(values);
    if (open === dialog) close(result ?? true);
  } catch (error) {
    settle(dialog, {isBusy: false, error: error.message});
  }
}

function draw() {
  render(open ? (open.view ?? askView)(open) : nothing, root());
}

const askView = ({title, text, confirm, isDanger, fields = [], found, error, isBusy}) => html`
  <dialog aria-labelledby="dialog-title" @close=${() => open && close()}>
    <form @submit=${submit}>
      <h2 id="dialog-title">${title}</h2>
      ${text ? html`<p>${text}</p>` : nothing}
      <p class="found" aria-live="polite" ?hidden=${!open.find}>${found ? found.text : error ? '' : 'Counting…'}</p>
      ${fields.map(
        ({name, label, value, hint, options, ...rest}, index) => html`
          <label class="field">
            <span>${label}</span>
            ${
              options
                ? html`<select name=${name} ?autofocus=${index === 0}>
                    ${Object.entries(options).map(
                      ([option, text]) =>
                        html`<option value=${option} ?selected=${option === value}>${text}</option>`,
                    )}
                  </select>`
                : html`<input
                    name=${name}
                    type=${rest.type}
                    value=${value ?? nothing}
                    ?required=${!rest.isOptional}
                    step=${rest.step ?? nothing}
                    min=${rest.min ?? nothing}
                    ?autofocus=${index === 0}
                  />`
            }
            ${hint ? html`<span class="hint">${hint}</span>` : nothing}
          </label>
        `,
      )}
      <p class="refused" role="alert" ?hidden=${!error}>${icon('warning')}<span>${error}</span></p>
      <div class="buttons">
        <button type="button" @click=${() => close()} ?autofocus=${!fields.length && isDanger}>Back</button>
        <button
          class=${isDanger ? 'danger' : 'primary'}
          aria-disabled=${isBusy || !found?.isAllowed}
          ?autofocus=${!fields.length && !isDanger}
        >
          ${confirm}
        </button>
      </div>
    </form>
  </dialog>
`;

/** What the keys do, and the switch that turns them off. */
export function showHelp() {
  show({view: helpView});
}

const KEYS = [
  ['/', 'Search jobs'],
  ['j', 'Next row'],
  ['k', 'Row before'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row'],
  ['?', 'This help'],
];

const helpView = () => html`
  <dialog class="help" aria-labelledby="dialog-title" @close=${() => open && close()}>
    <h2 id="dialog-title">Keyboard</h2>
    <div class="help-columns">
      <dl class="keys">
        ${KEYS.map(
          ([key, text]) =>
            html`<div>
              <dt><kbd>${key}</kbd></dt>
              <dd>${text}</dd>
            </div>`,
        )}
      </dl>
      <dl class="keys">
        ${Object.entries(GO_TO).map(
          ([key, [, text]]) =>
            html`<div>
              <dt><kbd>g</kbd> <kbd>${key}</kbd></dt>
              <dd>${text}</dd>
            </div>`,
        )}
      </dl>
    </div>
    <label class="check">
      <input
        type="checkbox"
        .checked=${shortcuts.areOn}
        @change=${(event) => (shortcuts.areOn = event.target.checked)}
      />
      <span>Use these keys</span>
    </label>
    <div class="buttons"><button type="button" autofocus @click=${() => close()}>Close</button></div>
  </dialog>
`;
