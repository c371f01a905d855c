// Small pieces that several pages use.
import {html, nothing} from './lit-html.js';
import {atLeast, count, firstLine} from './format.js';
import {icon} from './icons.js';
import {note} from './notes.js';

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

/** A count that leads to the jobs it counts; zero leads nowhere and stays quiet. */
export const countLink = (number, q, label, isAtLeast = false) =>
  number
    ? html`<a class="number" href=${jobsLink(q)} aria-label="${atLeast(number, isAtLeast)} ${label}"
        >${atLeast(number, isAtLeast)}</a
      >`
    : html`<span class="none">${count(number ?? 0)}</span>`;

export const empty = (title, text, action = nothing) =>
  html`<div class="empty">
    <p class="empty-title">${title}</p>
    <p>${text}</p>
    ${action}
  </div>`;

/** Stands above the last data, if there is any; an outage is told by the badge already. */
export function problem(source) {
  if (!source.error || (source.error.isOutage && source.data !== undefined)) return nothing;
  return html`<p class="refused" role="alert">${icon('warning')}<span>${source.error.message}</span></p>`;
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
