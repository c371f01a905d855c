// Small pieces that several pages use.
import {html, nothing} from './lit-html.js';
import {count, firstLine} from './format.js';
import {icon} from './icons.js';
import {note} from './notes.js';
import {canGoBack} from './router.js';
import {Source} from './source.js';

export const sentence = (word) => {
  const text = String(word).toLowerCase().replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** A shape and a word: the colour only repeats them. */
export const mark = (shape, word, kind = shape) =>
  html`<span class="mark ${kind}">${icon(shape)}<span>${word}</span></span>`;

export const stateMark = (state) => mark(state.toLowerCase(), sentence(state));

export const levelMark = (level) => mark(level.toLowerCase(), sentence(level));

/** An error without the package of its class, which says little in a list. */
export const shortError = (error) => firstLine(error).replace(/^(?:[a-z_][\w$]*\.)+(?=[A-Z])/, '');

export const jobsLink = (q) => (q ? `jobs?q=${encodeURIComponent(q)}` : 'jobs');
export const jobLink = (id) => `jobs/${encodeURIComponent(id)}`;

/** A value of the query language, in quotes where it needs them. */
export const term = (key, value) =>
  value && !/[\s"]/.test(value) ? `${key}:${value}` : `${key}:"${value.replace(/[\\"]/g, '\\$&')}"`;

export const empty = (title, text, action = nothing) =>
  html`<div class="empty">
    <p class="empty-title">${title}</p>
    <p>${text}</p>
    ${action}
  </div>`;

/** Where a page of very many has nothing, and there is more behind it. */
export const lookFurther = (href, what) =>
  empty(
    'Nothing on this stretch',
    `Very many ${what} were looked at and none of them matches. There are more behind them.`,
    html`<p><a class="button" rel="next" href=${href}>Look further</a></p>`,
  );

/** Stands above the last data, if there is any; an outage is told by the badge already. */
export function problem(source) {
  if (!source.error || (source.error.isOutage && source.data !== undefined)) return nothing;
  return html`<p class="refused" role="alert">${icon('warning')}<span>${source.error.message}</span></p>`;
}

/** What is not worth a look. */
export const quiet = (text) => html`<span class="none">${text}</span>`;

/** A count that is quiet when it is zero. */
export const quietCount = (number) => (number ? count(number) : quiet('0'));

/**
 * A table whose rows the keys j and k walk.
 *
 * @param {Array} columns [title, classes, cell], where cell makes the content from a row. Of the classes, "name" makes
 *     the cells headers of their rows, and "action" leaves the title to screen readers. What is not an array is left out.
 */
export function table(name, columns, rows) {
  const shown = columns.filter(Array.isArray);
  return html`
    <table class=${name}>
      <thead>
        <tr>
          ${shown.map(
            ([title, classes]) =>
              html`<th scope="col" class=${classes}>
                ${/action/.test(classes) ? html`<span class="hidden">${title}</span>` : title}
              </th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr data-row>
              ${shown.map(([, classes, cell]) =>
                /name/.test(classes)
                  ? html`<th scope="row" class=${classes}>${cell(row)}</th>`
                  : html`<td class=${classes}>${cell(row)}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  `;
}

/** Ways through a list that comes in pages. */
export const pager = (what, {after, first, next}) =>
  after || next
    ? html`<nav class="pager" aria-label="Pages of ${what}">
        ${after ? html`<a class="button" href=${first}>First page</a>` : nothing}
        ${after && canGoBack() ? html`<button type="button" @click=${() => history.back()}>Back</button>` : nothing}
        ${next ? html`<a class="button" rel="next" href=${next}>Next page</a>` : nothing}
      </nav>`
    : nothing;

/**
 * A page that shows one answer of the server, asked for every five seconds.
 *
 * @param {object} options name of the page and of its table; title; path; isHeld: whether rows must not move while the
 *     focus is among them; view, called with the data and a function that asks again; and what else the page has
 */
export function listPage({name, title, path, isHeld = false, view, ...more}) {
  const list = new Source(path, {
    every: 5_000,
    isHeld: () => isHeld && Boolean(document.activeElement?.closest(`table.${name}`)),
  });
  const reload = () => list.load();
  return {
    name,
    title,
    sources: [list],
    load: reload,
    refresh: reload,
    view: () => html`${problem(list)} ${list.data === undefined ? nothing : view(list.data, reload)}`,
    ...more,
  };
}

/** Choices of which one is current, as links: the URL has the choice. */
export const segments = (label, options) => html`
  <nav class="segments" aria-label=${label}>
    ${options.map(
      ({href, text, extra, isCurrent}) =>
        html`<a href=${href} aria-current=${isCurrent ? 'true' : nothing}
          >${text}${extra ? html` <span class="extra">${extra}</span>` : nothing}</a
        >`,
    )}
  </nav>
`;

/** A part of a page under a heading of its own. */
export const section = (title, content, extra = nothing, className = '') => html`
  <section class="part ${className}">
    <div class="part-head">
      <h2>${title}</h2>
      ${extra}
    </div>
    ${content}
  </section>
`;

/** Names and values; those without a value are left out. */
export const facts = (pairs) => html`
  <dl class="facts">
    ${pairs
      .filter(([, value]) => value !== null && value !== undefined && value !== nothing && value !== '')
      .map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>
`;

export const copyButton = (text, what) => html`
  <button
    class="quiet icon-only"
    type="button"
    aria-label="Copy ${what}"
    title="Copy ${what}"
    @click=${() => copy(text, what)}
  >
    ${icon('copy')}
  </button>
`;

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(typeof text === 'function' ? text() : text);
    note(`Copied ${what}.`);
  } catch {
    // Browsers refuse it on plain http.
    note(`This browser does not let the page copy ${what}.`);
  }
}

/** How far a job or a task is; without a percentage, nothing moves that would say more than is known. */
export const progress = (value, max, label) =>
  html`<progress .value=${value} max=${max} aria-label=${label}></progress>`;
