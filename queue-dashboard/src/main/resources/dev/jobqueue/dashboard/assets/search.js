// The search box with completion: a combobox as the ARIA practices describe it.
import {html, nothing} from './lit-html.js';
import {get, withQuery} from './api.js';
import {icon} from './icons.js';
import {wordStart} from './query.js';
import {redraw} from './store.js';

const TYPING_PAUSE = 100;

export class Search {
  text;
  #submit;
  #options = [];
  #active = -1;
  #isOpen = false;
  #timer = 0;
  #asked = 0;

  constructor(text, submit) {
    this.text = text;
    this.#submit = submit;
  }

  set(text) {
    this.text = text;
    this.#close();
  }

  view() {
    const isOpen = this.#isOpen && this.#options.length > 0;
    return html`
      <form class="search" role="search" @submit=${this.#submitted}>
        <label class="hidden" for="search">Search jobs</label>
        ${icon('search')}
        <input
          id="search"
          role="combobox"
          autocomplete="off"
          autocapitalize="off"
          spellcheck="false"
          enterkeyhint="search"
          placeholder='type:invoice.send key:acc-7 error:"timed out" or an id'
          aria-autocomplete="list"
          aria-expanded=${isOpen}
          aria-controls="completions"
          aria-activedescendant=${isOpen && this.#active >= 0 ? `completion-${this.#active}` : nothing}
          .value=${this.text}
          @input=${this.#typed}
          @focus=${this.#ask}
          @click=${this.#ask}
          @blur=${this.#close}
          @keydown=${this.#pressed}
        />
        <kbd aria-hidden="true">/</kbd>
        <ul id="completions" class="completions" role="listbox" aria-label="Completions" ?hidden=${!isOpen}>
          ${this.#options.map(
            ({label, kind}, index) => html`
              <li
                id="completion-${index}"
                role="option"
                aria-selected=${index === this.#active}
                @mousedown=${(event) => (event.preventDefault(), this.#accept(index))}
              >
                <span>${label}</span> <span class="kind">${kind}</span>
              </li>
            `,
          )}
        </ul>
      </form>
    `;
  }

  #input = () => document.getElementById('search');

  #typed = (event) => {
    this.text = event.target.value;
    this.#ask();
    redraw();
  };

  #ask = () => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const asked = ++this.#asked;
      const at = this.#input()?.selectionStart ?? this.text.length;
      try {
        const options = await get(withQuery('complete', {q: this.text, at}));
        // Typed on or left meanwhile: then these are for another word.
        if (asked !== this.#asked || document.activeElement !== this.#input()) return;
        const chosen = this.#options[this.#active]?.insert;
        this.#options = options.filter(({insert}) => insert.trim() !== this.text.slice(wordStart(this.text, at), at));
        // Somebody quick may have chosen already, from what was there before.
        this.#active = this.#options.findIndex(({insert}) => insert === chosen);
        this.#isOpen = true;
        redraw();
      } catch {
        // Without completion the box is still a search box.
      }
    }, TYPING_PAUSE);
  };

  #close = () => {
    clearTimeout(this.#timer);
    this.#asked++;
    this.#isOpen = false;
    this.#active = -1;
    redraw();
  };

  #accept(index) {
    const input = this.#input();
    const at = input.selectionStart;
    const start = wordStart(this.text, at);
    const {insert} = this.#options[index];
    this.text = this.text.slice(0, start) + insert + this.text.slice(at).replace(/^\s+/, '');
    input.value = this.text;
    input.setSelectionRange(start + insert.length, start + insert.length);
    this.#active = -1;
    redraw();
    this.#ask();
  }

  #pressed = (event) => {
    const isOpen = this.#isOpen && this.#options.length > 0;
    const last = this.#options.length - 1;
    if (event.key === 'Escape') {
      if (isOpen) this.#close();
      else event.target.blur();
    } else if (isOpen && event.key === 'ArrowDown') {
      this.#active = this.#active >= last ? 0 : this.#active + 1;
    } else if (isOpen && event.key === 'ArrowUp') {
      this.#active = this.#active <= 0 ? last : this.#active - 1;
    } else if (isOpen && event.key === 'Enter' && this.#active >= 0) {
      this.#accept(this.#active);
    } else {
      return;
    }
    event.preventDefault();
    redraw();
    document.getElementById(`completion-${this.#active}`)?.scrollIntoView({block: 'nearest'});
  };

  #submitted = (event) => {
    event.preventDefault();
    this.#close();
    this.#submit(this.text.trim());
  };
}
