// Nodes: who works, and who has fallen silent.
import {html, nothing} from './lit-html.js';
import {empty, mark, problem} from './components.js';
import {count, roughly, shortId, when} from './format.js';
import {Source} from './source.js';

export function nodesPage() {
  const nodes = new Source('nodes', {every: 5_000});
  return {
    name: 'nodes',
    title: 'Nodes',
    sources: [nodes],
    load: () => nodes.load(),
    refresh: () => nodes.load(),
    view() {
      if (nodes.data === undefined) return problem(nodes);
      return html`${problem(nodes)} ${nodes.data.length ? table(nodes.data) : none()}`;
    },
  };
}

const none = () =>
  empty(
    'No nodes',
    'No worker has registered in the last day. Start an application whose worker is on (queue.worker.enabled).',
  );

const table = (nodes) => html`
  <table class="nodes">
    <thead>
      <tr>
        <th scope="col" class="state-column">State</th>
        <th scope="col" class="wide">Node</th>
        <th scope="col" class="c1">Queues</th>
        <th scope="col" class="c2">Types</th>
        <th scope="col" class="numeric running-column">Running</th>
        <th scope="col" class="numeric c1 when-column">Last beat</th>
        <th scope="col" class="numeric c1 when-column">Started</th>
      </tr>
    </thead>
    <tbody>
      ${nodes.map(row)}
    </tbody>
  </table>
`;

const row = ({id, host, pid, version, queues, types, startedAt, sinceBeatMs, live, running}) => html`
  <tr data-row>
    <td class="state-column">${live ? mark('live', 'Live') : mark('silent', 'Silent')}</td>
    <th scope="row">
      <span data-open tabindex="-1">${host ?? 'Unnamed'}</span>
      <span class="sub"
        >${[version, pid === null ? null : `pid ${pid}`].filter(Boolean).join(' · ')}
        <span class="id" title=${id}>${shortId(id)}</span>
        <span class="narrow-only"> · beat ${roughly(sinceBeatMs)} ago</span>
      </span>
    </th>
    <td class="c1">${names(queues, 'any')}</td>
    <td class="c2">${names(types, 'not told')}</td>
    <td class="numeric running-column">${running ? count(running) : html`<span class="none">0</span>`}</td>
    <td class="numeric c1 when-column">${roughly(sinceBeatMs)} ago</td>
    <td class="numeric c1 when-column">${when(startedAt)}</td>
  </tr>
`;

const SHOWN = 4;

/** Some names, and the rest behind a switch. */
function names(list, without) {
  if (!list) return html`<span class="none">${without}</span>`;
  if (list.length <= SHOWN + 1) return html`<span class="names">${list.join(', ')}</span>`;
  return html`<details class="names">
    <summary>${list.slice(0, SHOWN).join(', ')} and ${count(list.length - SHOWN)} more</summary>
    ${list.slice(SHOWN).join(', ')}
  </details>`;
}
