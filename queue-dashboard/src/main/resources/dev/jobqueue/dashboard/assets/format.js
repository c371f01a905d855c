// Numbers, spans and dates as people read them.
import {html, nothing} from './lit-html.js';
import {now} from './store.js';

const counts = new Intl.NumberFormat('en');

export const count = (number) => (number === null || number === undefined ? '–' : counts.format(number));

/** "10,000+" where counting stopped. */
export const atLeast = (number, isAtLeast) => count(number) + (isAtLeast ? '+' : '');

/** How many jobs of a state the queues have together. Pending ones are counted to the highest threshold. */
export const total = (queues, state) =>
  atLeast(
    queues.reduce((sum, each) => sum + each[state], 0),
    queues.some((each) => (state === 'pending' ? each.pendingAtLeast : each[state] >= each.countLimit)),
  );

/** A count with its noun: "1 job", "2 jobs", "10,000+ jobs". */
export const jobs = (number, isAtLeast = false) =>
  `${atLeast(number, isAtLeast)} ${number === 1 && !isAtLeast ? 'job' : 'jobs'}`;

/** A rate or an average, with as many digits as it deserves. */
export function figure(number) {
  if (number === null || number === undefined) return '–';
  if (number === 0 || number >= 100) return count(Math.round(number));
  return counts.format(Number(number.toPrecision(2)));
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** A span such as "3 min", "1 h 20 min", "840 ms". */
export function span(ms) {
  if (ms === null || ms === undefined) return '–';
  if (ms < 0) return `-${span(-ms)}`;
  if (ms < 1) return ms === 0 ? '0 ms' : '<1 ms';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1).replace(/\.0$/, '')} s`;
  for (let i = 0; i < UNITS.length; i++) {
    const [unit, size] = UNITS[i];
    if (ms < size) continue;
    const whole = Math.floor(ms / size);
    // The next smaller unit says something only while the number before it is small.
    const next = UNITS[i + 1];
    const rest = next && whole < 10 ? Math.floor((ms % size) / next[1]) : 0;
    return `${whole} ${unit}${rest ? ` ${rest} ${next[0]}` : ''}`;
  }
  return '';
}

/** A span in its largest unit only, which seldom changes under the eye of the reader. */
export function roughly(ms) {
  const [unit, size] = UNITS.find(([, each]) => ms >= each) ?? ['s', 1_000];
  return `${Math.floor(ms / size)} ${unit}`;
}

/** How long ago or until; the exact time is on hover. */
export function relative(at) {
  const ms = now() - at;
  if (Math.abs(ms) < 1_500) return 'now';
  return ms > 0 ? `${roughly(ms)} ago` : `in ${roughly(-ms)}`;
}

const pad = (number, digits = 2) => String(number).padStart(digits, '0');

/** The exact time in the reader's zone, in the order that sorts. */
export function exact(at) {
  const date = new Date(at);
  const offset = -date.getTimezoneOffset();
  const zone =
    offset === 0
      ? 'UTC'
      : `UTC${offset > 0 ? '+' : '-'}${pad(Math.floor(Math.abs(offset) / 60))}:${pad(Math.abs(offset) % 60)}`;
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${clock(at)}.${pad(date.getMilliseconds(), 3)} ${zone}`;
}

export function clock(at) {
  const date = new Date(at);
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
}

/** A date, relative, with the exact time on hover. */
export function when(iso, before = '') {
  if (!iso) return nothing;
  const at = Date.parse(iso);
  return html`<time datetime=${iso} title=${exact(at)}>${before}${relative(at)}</time>`;
}

/** A date, relative and exact; null if there is none. */
export function both(iso) {
  if (!iso) return null;
  const [date, clock, zone] = exact(Date.parse(iso)).split(' ');
  return html`${when(iso)}<span class="exact">${date} ${clock} <span>${zone}</span></span>`;
}

/** A date as the clock has it, for logs. */
export function clockTime(iso) {
  const at = Date.parse(iso);
  return html`<time datetime=${iso} title=${exact(at)}>${clock(at)}</time>`;
}

export function bytes(number) {
  if (number < 1_024) return `${number} bytes`;
  if (number < 1_000 * 1_024) return `${figure(number / 1_024)} KiB`;
  return `${figure(number / 1_048_576)} MiB`;
}

/** The end of an id tells jobs apart; its beginning is the time they were published. */
export const shortId = (id) => `…${id.slice(-8)}`;

const LONG = 200;

/** Keys may be of any length. */
export const brief = (text) => (text.length > LONG ? `${text.slice(0, LONG)}…` : text);

export const firstLine = (text) => (text ?? '').split('\n', 1)[0];
