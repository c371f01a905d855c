// What can be done with jobs: in which states, how it is asked for, and what is said afterwards.
import {post} from './api.js';
import {ask} from './dialogs.js';
import {exact, jobs as jobCount, shortId} from './format.js';
import {follow, note} from './notes.js';
import {now} from './store.js';

/** Asks, acts, tells what was done, and calls changed. */
export async function confirmed(question, told, changed) {
  const answer = await ask(question);
  if (!answer) return;
  note(told, {undo: answer.undo?.id ?? null});
  changed();
}

const WAITING = ['SCHEDULED', 'PENDING', 'WAITING'];

/** In the order of the buttons. */
export const ACTIONS = {
  replay: {label: 'Replay', noun: 'Replay', past: 'replayed', states: ['DEAD']},
  retry: {label: 'Run now', noun: 'Run now', past: 'made pending', states: ['SCHEDULED']},
  cancel: {
    label: 'Cancel',
    noun: 'Cancel',
    past: 'cancelled',
    states: [...WAITING, 'RUNNING'],
    asks: true,
    isDanger: true,
  },
  reprioritise: {
    label: 'Priority…',
    noun: 'Change priority of',
    past: 'given another priority',
    confirm: 'Change',
    states: [...WAITING, 'RUNNING'],
    field: 'priority',
  },
  reschedule: {
    label: 'Reschedule…',
    confirm: 'Reschedule',
    noun: 'Reschedule',
    past: 'rescheduled',
    states: WAITING,
    field: 'runAt',
  },
  purge: {label: 'Purge', noun: 'Purge', past: 'purged', states: ['DEAD'], asks: true, isDanger: true},
};

/** The names of the actions for at least one of these states. */
export const actionsFor = (states) =>
  Object.keys(ACTIONS).filter((name) => states.some((state) => ACTIONS[name].states.includes(state)));

/** The same for all jobs that match: those that run keep their priority until they are tried again. */
export const actionsForAll = (state) =>
  actionsFor([state]).filter((name) => name !== 'reprioritise' || state !== 'RUNNING');

const WARNINGS = {
  purge: 'Purged jobs are gone for good.',
  cancel: 'Jobs that wait are cancelled at once. Handlers that run are asked to stop.',
};

function fields(action, job) {
  if (ACTIONS[action].field === 'priority') {
    return [
      {
        name: 'priority',
        label: 'Priority',
        type: 'number',
        value: job?.priority ?? 0,
        step: 1,
        hint: 'Higher runs first.',
      },
    ];
  }
  if (ACTIONS[action].field === 'runAt') {
    const zone = exact(now()).split(' ')[2];
    return [
      {
        name: 'runAt',
        label: `Due at (${zone})`,
        type: 'datetime-local',
        value: localInput(now() + 3_600_000),
        step: 1,
        hint: 'A time in the past means at once.',
      },
    ];
  }
  return [];
}

/** What an input of dates takes: local time without a zone. */
export function localInput(at) {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

function body(action, values) {
  if (ACTIONS[action].field === 'priority') return {priority: Number(values.priority)};
  if (ACTIONS[action].field === 'runAt') return {runAt: new Date(values.runAt).toISOString()};
  return {};
}

const single = (action, id, values) => post(`jobs/${encodeURIComponent(id)}/${action}`, body(action, values));

/** Acts on one job; asks first where that is due. */
export async function actOnJob(action, job, done) {
  const {noun, label, confirm = label, asks, isDanger, field} = ACTIONS[action];
  const act = async (values) => {
    const answer = await single(action, job.id, values);
    note(said(action, job, answer), {undo: answer?.undo?.id ?? null});
    return true;
  };
  try {
    if (asks || field) {
      const name = `${job.type} ${shortId(job.id)}`;
      await ask({
        title: `${noun} ${name}?`,
        text: WARNINGS[action],
        confirm,
        isDanger,
        fields: fields(action, job),
        act,
      });
    } else {
      await act({});
    }
  } catch (error) {
    note(error.message, {isError: true});
  }
  done();
}

function said(action, job, answer) {
  if (action === 'cancel' && answer?.state === 'RUNNING') return `The worker of ${job.type} was asked to stop.`;
  if (action === 'cancel' && answer?.state && answer.state !== 'CANCELLED')
    return `Too late: ${job.type} is ${answer.state.toLowerCase()}.`;
  return `${job.type} ${ACTIONS[action].past}.`;
}

/** Acts on rows picked by hand, one by one: each is refused or done on its own. */
export async function actOnRows(action, rows, done) {
  const {noun, past, label, confirm = label, states, isDanger} = ACTIONS[action];
  const fit = rows.filter((job) => states.includes(job.state));
  const left = rows.length - fit.length;
  const result = await ask({
    title: `${noun} ${jobCount(fit.length)}?`,
    text: [
      WARNINGS[action],
      left
        ? `${jobCount(left)} of the selection ${left === 1 ? 'is' : 'are'} in another state and stay as they are.`
        : '',
    ]
      .filter(Boolean)
      .join(' '),
    confirm,
    isDanger,
    fields: fields(action),
    act: async (values) => {
      const errors = [];
      for (const job of fit) await single(action, job.id, values).catch((error) => errors.push(error.message));
      return {errors, acted: fit.length - errors.length};
    },
  });
  if (!result) return;
  const {errors, acted} = result;
  note(`${jobCount(acted)} ${past}.${errors.length ? ` ${errors.length} refused: ${errors[0]}` : ''}`, {
    isError: errors.length > 0,
  });
  done();
}

/** Acts on all jobs that match: how many it would be, then the question, then in the background. */
export async function actOnQuery(action, q, done, what = 'jobs that match') {
  const {noun, past, label, confirm = label, isDanger} = ACTIONS[action];
  const result = await ask({
    title: `${noun} all ${what}?`,
    text: WARNINGS[action],
    confirm,
    isDanger,
    fields: fields(action),
    find: async () => {
      const {jobs, isAtLeast} = await post('jobs/actions', {
        q,
        action,
        dryRun: true,
        ...(ACTIONS[action].field ? body(action, defaults(action)) : {}),
      });
      return {
        isAllowed: jobs > 0,
        text: jobs ? `${jobCount(jobs, isAtLeast)} would be ${past}.` : 'No job matches any more.',
      };
    },
    act: (values) => post('jobs/actions', {q, action, dryRun: false, ...body(action, values)}),
  });
  if (!result) return;
  follow(result.task, `${noun}: ${q}`, result.total ?? null);
  done();
}

/** For counting, before the reader has chosen: a value that hardly any job has. */
const defaults = (action) =>
  ACTIONS[action].field === 'priority' ? {priority: -2147483648} : {runAt: localInput(now() + 3_600_000)};
