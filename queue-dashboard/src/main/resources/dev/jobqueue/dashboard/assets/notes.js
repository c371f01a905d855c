// Short notes in the corner: what an action did, how to undo it, and how far work in the background is.
import {html, nothing, render} from './lit-html.js';
import {get, post} from './api.js';
import {atLeast, count, jobs} from './format.js';
import {icon} from './icons.js';

const SHOWN_FOR = 10_000;
const root = () => document.getElementById('notes');

let notes = [];
let tasks = stored();
let whenChanged = () => {};
let isHeld = false;
let number = 0;

/** The callback runs when jobs were changed, so that the page can show it. */
export function startNotes(changed) {
  whenChanged = changed;
  draw();
}

/** @param {number|string|null} undo the id of the audit entry, where the action can be undone */
export function note(text, {undo = null, isError = false} = {}) {
  notes = [...notes.slice(-3), {id: ++number, text, undo, isError, until: Date.now() + SHOWN_FOR}];
  draw();
}

export function follow(task, label, total = null) {
  tasks = [...tasks, {task, label, total, done: 0, state: 'RUNNING', error: null}];
  store();
  draw();
}

/** About once a second while the tab is visible. */
export function tickNotes() {
  const before = notes.length + tasks.length;
  if (!isHeld) {
    notes = notes.filter((each) => each.until > Date.now());
    // What went wrong stays until somebody has seen it.
    tasks = tasks.filter((each) => each.state !== 'DONE' || each.until > Date.now());
  }
  if (notes.length + tasks.length !== before) {
    store();
    draw();
  }
  for (const task of tasks) if (task.state === 'RUNNING') ask(task);
}

async function ask(task) {
  try {
    const {done, total, isAtLeast, state, error} = await get(`tasks/${encodeURIComponent(task.task)}`);
    Object.assign(task, {done, total, isAtLeast, state, error});
    if (state !== 'RUNNING') {
      task.until = Date.now() + SHOWN_FOR;
      whenChanged();
    }
  } catch (error) {
    // The node that worked on it may be gone, and the task with it; what it did is in the audit.
    if (error.status === 404)
      Object.assign(task, {state: 'FAILED', error: 'Nobody works on it any more. See the audit.'});
  }
  store();
  draw();
}

export async function undo(id) {
  try {
    await post(`audit/${encodeURIComponent(id)}/undo`);
    note('Undone.');
    whenChanged();
  } catch (error) {
    note(error.message, {isError: true});
  }
}

function dismissNote(id) {
  notes = notes.filter((each) => each.id !== id);
  draw();
}

function dismissTask(task) {
  tasks = tasks.filter((each) => each !== task);
  store();
  draw();
}

function draw() {
  render(
    html`
      <div class="tasks" role="region" aria-label="Work in the background" ?hidden=${!tasks.length}>
        ${tasks.map(taskView)}
      </div>
      <div
        role="status"
        @mouseenter=${hold(true)}
        @mouseleave=${hold(false)}
        @focusin=${hold(true)}
        @focusout=${hold(false)}
      >
        ${notes.map(noteView)}
      </div>
    `,
    root(),
  );
}

const hold = (value) => () => (isHeld = value);

const noteView = (each) => html`
  <div class="note ${each.isError ? 'is-error' : ''}">
    ${each.isError ? icon('warning') : nothing}
    <span class="note-text">${each.text}</span>
    ${
      each.undo === null
        ? nothing
        : html`<button type="button" @click=${() => (dismissNote(each.id), undo(each.undo))}>Undo</button>`
    }
    <button class="quiet icon-only" type="button" aria-label="Dismiss" @click=${() => dismissNote(each.id)}>
      ${icon('close')}
    </button>
  </div>
`;

const taskView = (task) => html`
  <div class="note task" data-task=${task.task}>
    <div class="note-text">
      <strong>${task.label}</strong>
      <span class="sub">${taskText(task)}</span>
      ${
        task.state === 'RUNNING'
          ? html`<progress .value=${task.done} max=${task.total || 1} aria-label=${task.label}></progress>`
          : nothing
      }
    </div>
    ${
      task.state === 'RUNNING'
        ? nothing
        : html`<button class="quiet icon-only" type="button" aria-label="Dismiss" @click=${() => dismissTask(task)}>
            ${icon('close')}
          </button>`
    }
  </div>
`;

function taskText({state, done, total, isAtLeast, error}) {
  if (state === 'DONE') return `Done: ${jobs(done)}`;
  if (state === 'FAILED') return `Stopped after ${jobs(done)}: ${error}`;
  return total ? `${count(done)} of ${atLeast(total, isAtLeast)}` : `${count(done)} so far`;
}

// A task outlives a reload of the page, so the tab remembers which ones it follows.
function stored() {
  try {
    return JSON.parse(sessionStorage.getItem('queue.tasks')) ?? [];
  } catch {
    return [];
  }
}

function store() {
  try {
    sessionStorage.setItem('queue.tasks', JSON.stringify(tasks));
  } catch {
    // Forgotten with the page.
  }
}
