// The keyboard. Single letters do nothing while the reader types, and can be turned off (WCAG 2.1.4).
import {choices} from './store.js';
import {go} from './router.js';

export const GO_TO = {
  o: ['', 'Overview'],
  q: ['queues', 'Queues'],
  j: ['jobs', 'Jobs'],
  d: ['dead', 'Dead letters'],
  f: ['flows', 'Flows'],
  l: ['lanes', 'Lanes'],
  s: ['schedules', 'Schedules'],
  n: ['nodes', 'Nodes'],
  a: ['audit', 'Audit'],
};

const SEQUENCE_WITHIN = 1_500;

export const shortcuts = {
  get areOn() {
    return choices.get('shortcuts') !== 'off';
  },
  set areOn(value) {
    choices.set('shortcuts', value ? null : 'off');
  },
};

let goPressedAt = 0;

export function startKeys({help}) {
  document.addEventListener('keydown', (event) => {
    if (!shortcuts.areOn || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (isTyping(event.target) || document.querySelector('dialog[open]')) return;
    if (pressed(event.key, help)) event.preventDefault();
  });
}

function isTyping(element) {
  if (element.isContentEditable || /^(TEXTAREA|SELECT)$/.test(element.tagName)) return true;
  return element.tagName === 'INPUT' && !/^(checkbox|radio|button|range)$/.test(element.type);
}

/** Returns whether the key meant something. */
function pressed(key, help) {
  const isSecond = Date.now() - goPressedAt < SEQUENCE_WITHIN;
  goPressedAt = 0;
  if (isSecond && GO_TO[key]) {
    go(GO_TO[key][0]);
    return true;
  }
  switch (key) {
    case 'g':
      goPressedAt = Date.now();
      return true;
    case '/':
      focusSearch();
      return true;
    case '?':
      help();
      return true;
    case 'j':
      return move(1);
    case 'k':
      return move(-1);
    case 'x':
      return select();
    default:
      return false;
  }
}

function focusSearch() {
  const search = document.getElementById('search');
  if (search) {
    search.focus();
    search.select();
  } else {
    go('jobs');
    // The page of jobs takes the focus when it is drawn.
    wanted.search = true;
  }
}

export const wanted = {search: false};

const rows = () => [...document.querySelectorAll('tr[data-row]')];

/** The focus is the cursor: it goes to the link of the row, so Enter opens it without our help. */
function move(step) {
  const all = rows();
  if (!all.length) return false;
  const current = all.indexOf(document.activeElement?.closest('tr[data-row]'));
  const next = current < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(current + step, 0), all.length - 1);
  const target = all[next].querySelector('[data-open]') ?? all[next].querySelector('a, button');
  target?.focus();
  all[next].scrollIntoView({block: 'nearest'});
  return true;
}

function select() {
  const box = document.activeElement?.closest('tr[data-row]')?.querySelector('input[type=checkbox]');
  box?.click();
  return Boolean(box);
}
