// JSON as a tree that opens branch by branch. What is closed is not drawn, so size does not matter.
// Everything is text: nothing in a payload becomes markup.
import {html, nothing} from './lit-html.js';
import {bytes, count} from './format.js';
import {WrittenNumber} from './json.js';
import {redraw} from './store.js';

const CHILDREN_AT_ONCE = 100;
const LONG_TEXT = 400;
const TEXT_AT_ONCE = 20_000;

/** What the reader opened, by path; one for each job that is looked at. */
export class Tree {
  #open = new Map();
  #shown = new Map();

  view(value, name) {
    if (isCut(value)) return this.#cut(value);
    return html`<div class="tree">
      ${isBranch(value) ? this.#branch(value, name, nothing, 0) : this.#leaf(value, name)}
    </div>`;
  }

  #cut(value) {
    return html`
      <p class="sub">${bytes(value.$truncated)} in all. This is the beginning:</p>
      <pre class="text" tabindex="0">${value.text}</pre>
    `;
  }

  #branch(value, path, key, depth) {
    const entries = Object.entries(value);
    const isList = Array.isArray(value);
    if (!entries.length)
      return html`<div class="leaf">${key}<span class="punctuation">${isList ? '[ ]' : '{ }'}</span></div>`;
    const isOpen = this.#open.get(path) ?? (depth < 2 && entries.length <= 50);
    return html`
      <details ?open=${isOpen} @toggle=${(event) => this.#toggled(event, path)}>
        <summary>${key}<span class="punctuation">${summary(entries.length, isList)}</span></summary>
        ${isOpen ? this.#children(entries, path, isList, depth) : nothing}
      </details>
    `;
  }

  #children(entries, path, isList, depth) {
    const shown = this.#shown.get(path) ?? CHILDREN_AT_ONCE;
    const rest = entries.length - shown;
    return html`
      <ul>
        ${entries.slice(0, shown).map(([name, child]) => {
          const below = `${path}/${name}`;
          const key = html`<span class=${isList ? 'index' : 'key'}>${name}</span><span class="punctuation">: </span>`;
          return html`<li>
            ${isBranch(child) ? this.#branch(child, below, key, depth + 1) : this.#leaf(child, below, key)}
          </li>`;
        })}
        ${rest > 0 ? html`<li>${this.#more(path, shown, `${count(rest)} more`, CHILDREN_AT_ONCE)}</li>` : nothing}
      </ul>
    `;
  }

  #leaf(value, path, key = nothing) {
    if (typeof value !== 'string')
      return html`<div class="leaf">${key}<span class="literal">${String(value)}</span></div>`;
    const shown = this.#shown.get(path) ?? LONG_TEXT;
    const rest = value.length - shown;
    return html`<div class="leaf">
      ${key}<span class="string">"${rest > 0 ? value.slice(0, shown) : value}${rest > 0 ? '…' : '"'}</span>
      ${rest > 0 ? this.#more(path, shown, `${count(rest)} more characters`, TEXT_AT_ONCE) : nothing}
    </div>`;
  }

  #more(path, shown, text, step) {
    return html`<button class="link" type="button" @click=${() => (this.#shown.set(path, shown + step), redraw())}>
      ${text}
    </button>`;
  }

  #toggled(event, path) {
    if (this.#open.get(path) === event.target.open) return;
    this.#open.set(path, event.target.open);
    redraw();
  }
}

const isBranch = (value) => value !== null && typeof value === 'object' && !(value instanceof WrittenNumber);
const isCut = (value) => isBranch(value) && '$truncated' in value;

const summary = (size, isList) => (isList ? `[ ${count(size)} ]` : `{ ${count(size)} }`);
