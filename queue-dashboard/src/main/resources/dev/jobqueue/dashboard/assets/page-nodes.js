// Nodes: who works, and who has fallen silent.
import {html} from './lit-html.js';
import {empty, listPage, mark, quiet, quietCount, table} from './components.js';
import {count, roughly, shortId, when} from './format.js';

export const nodesPage = () =>
  listPage({
    name: 'nodes',
    title: 'Nodes',
    path: 'nodes',
    view: (nodes) => (nodes.length ? table('nodes', COLUMNS, nodes) : none()),
  });

const none = () =>
  empty(
    'No nodes',
    'No worker has registered in the last day. Start an application whose worker is on (queue.worker.enabled).',
  );

const COLUMNS = [
  ['State', 'state-column', ({live}) => (live ? mark('live', 'Live') : mark('silent', 'Silent'))],
  [
    'Node',
    'name',
    ({id, host, pid, version, sinceBeatMs}) => html`
      <span data-open tabindex="-1">${host ?? 'Unnamed'}</span>
      <span class="sub"
        >${[version, pid === null ? null : `pid ${pid}`].filter(Boolean).join(' · ')}
        <span class="id" title=${id}>${shortId(id)}</span>
      </span>
      <span class="narrow-only sub">beat ${roughly(sinceBeatMs)} ago</span>
    `,
  ],
  ['Queues', 'c1', ({queues}) => names(queues, 'any')],
  ['Types', 'c2', ({types}) => names(types, 'not told')],
  ['Running', 'numeric running-column', ({running}) => quietCount(running)],
  ['Last beat', 'numeric c1 when-column', ({sinceBeatMs}) => `${roughly(sinceBeatMs)} ago`],
  ['Started', 'numeric c1 when-column', ({startedAt}) => when(startedAt)],
];

const SHOWN = 4;

/** Some names, and the rest behind a switch. */
function names(list, without) {
  if (!list) return quiet(without);
  if (list.length <= SHOWN + 1) return html`<span class="names">${list.join(', ')}</span>`;
  return html`<details class="names">
    <summary>${list.slice(0, SHOWN).join(', ')} and ${count(list.length - SHOWN)} more</summary>
    ${list.slice(SHOWN).join(', ')}
  </details>`;
}
