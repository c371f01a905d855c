// Draws the steps of a flow from left to right. Each step stands behind all it waits for.
import {html, svg} from './lit-html.js';
import {jobLink, mark} from './components.js';
import {count} from './format.js';

const WIDTH = 160;
const HEIGHT = 44;
const BEND = 10;
const GAP = 14;
const ACROSS = 48;
const SWEEPS = 6;
/** A group with more members than this is one box. */
const FOLD = 20;

/** The shape and the word of the state of a step. */
const STEP = {
  BLOCKED: ['waiting', 'Blocked'],
  FREE: ['running', 'Under way'],
  DONE: ['completed', 'Done'],
  DEAD: ['dead', 'Dead'],
  CANCELLED: ['cancelled', 'Cancelled'],
};

/** @param {{nodes: object[], edges: object[]}} flow edges lead from the number of a step to that of a later one */
export function graph(flow) {
  const {boxes, lines, width, height} = layout(fold(flow));
  return html`
    <div class="graph" tabindex="0" role="group" aria-label="Steps of the flow">
      <svg width=${width} height=${height} viewBox="0 0 ${width} ${height}">
        ${lines.map((path) => svg`<path class="edge" d=${path}/>`)}
        ${boxes.map(
          (box) =>
            svg`<foreignObject x=${box.x} y=${box.y} width=${WIDTH} height=${HEIGHT}>${boxView(box)}</foreignObject>`,
        )}
      </svg>
    </div>
  `;
}

function boxView({name, state, kind, jobId, members}) {
  const [shape, word] = STEP[state];
  const content = html`
    <span class="cut" title=${name}>${name}</span>
    ${mark(shape, members ? tally(members) : kind === 'job' ? word : `${word}, ${kind}`)}
  `;
  return jobId
    ? html`<a class="step ${state.toLowerCase()}" href=${jobLink(jobId)}>${content}</a>`
    : html`<div class="step ${state.toLowerCase()}">${content}</div>`;
}

function tally(members) {
  const inState = (wanted) => members.filter(({state}) => state === wanted).length;
  const dead = inState('DEAD');
  return `${count(inState('DONE'))} of ${count(members.length)}${dead ? `, ${count(dead)} dead` : ''}`;
}

/** Large groups become one node each, whose state is the worst of its members. */
function fold({nodes, edges}) {
  const sizes = Map.groupBy(nodes, ({group}) => group);
  const idOf = ({step, group}) => (group && sizes.get(group).length > FOLD ? group : step);
  const ids = new Map(nodes.map((node) => [node.step, idOf(node)]));
  const folded = new Map();
  for (const node of nodes) {
    const id = idOf(node);
    if (id === node.step) folded.set(id, {...node, id, jobId: node.kind === 'job' ? node.jobId : null});
    else if (!folded.has(id)) folded.set(id, {id, name: id, members: sizes.get(id), state: worst(sizes.get(id))});
  }
  // The members of a group share their arrows.
  const arrows = new Map(
    edges.map(({from, to}) => [ids.get(from), ids.get(to)]).map((arrow) => [arrow.join(), arrow]),
  );
  return {nodes: [...folded.values()], edges: [...arrows.values()]};
}

const worst = (members) =>
  ['DEAD', 'FREE', 'BLOCKED', 'CANCELLED'].find((state) => members.some((each) => each.state === state)) ?? 'DONE';

function layout({nodes, edges}) {
  const {layers, links} = layered(nodes, edges);
  order(layers, links);
  const tall = ({isBend}) => (isBend ? BEND : HEIGHT);
  const heights = layers.map((layer) => layer.reduce((sum, item) => sum + tall(item) + GAP, -GAP));
  const height = Math.max(...heights);
  layers.forEach((layer, depth) => {
    let y = (height - heights[depth]) / 2;
    for (const item of layer) {
      Object.assign(item, {x: depth * (WIDTH + ACROSS) + 2, y: y + 2, middle: y + 2 + tall(item) / 2});
      y += tall(item) + GAP;
    }
  });
  return {
    boxes: layers.flat().filter(({isBend}) => !isBend),
    lines: links.map(([from, to]) => curve(from, to)),
    width: layers.length * (WIDTH + ACROSS) - ACROSS + 4,
    height: height + 4,
  };
}

/** A step's layer is the length of the longest way to it. What passes a layer bends there, so nothing crosses a box. */
function layered(nodes, edges) {
  const items = new Map(nodes.map((node) => [node.id, {...node, depth: 0}]));
  const isUndoing = ({compensates}) => Boolean(compensates);
  // Steps that undo others come one after the other, behind all the rest.
  const undoing = nodes.filter(isUndoing);
  const parents = Map.groupBy(edges, ([, to]) => to);
  const depthOf = (id) => {
    const item = items.get(id);
    if (!item.isPlaced) {
      item.isPlaced = true;
      item.depth = Math.max(0, ...(parents.get(id) ?? []).map(([from]) => depthOf(from) + 1));
    }
    return item.depth;
  };
  nodes.forEach(({id}) => depthOf(id));
  const last = Math.max(0, ...nodes.filter((node) => !isUndoing(node)).map(({id}) => items.get(id).depth));
  undoing.forEach(({id}, index) => (items.get(id).depth = last + 1 + index));

  const layers = [];
  const put = (item) => (layers[item.depth] ??= []).push(item);
  items.forEach(put);
  const links = [];
  for (const [from, to] of edges) {
    let before = items.get(from);
    for (let depth = before.depth + 1; depth < items.get(to).depth; depth++) {
      const bend = {isBend: true, depth};
      put(bend);
      links.push([before, bend]);
      before = bend;
    }
    links.push([before, items.get(to)]);
  }
  return {layers, links};
}

/** Each item goes to the median place of those it is linked with, in the layer before and, going back, in the next. */
function order(layers, links) {
  const before = Map.groupBy(links, ([, to]) => to);
  const after = Map.groupBy(links, ([from]) => from);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isForth = sweep % 2 === 0;
    for (const layer of isForth ? layers : layers.toReversed()) {
      for (const item of layer) {
        const places = ((isForth ? before : after).get(item) ?? []).map((link) => link[isForth ? 0 : 1].place);
        item.wanted = places.length ? places.sort((a, b) => a - b)[places.length >> 1] : (item.place ?? layer.indexOf(item));
      }
      layer.sort((a, b) => a.wanted - b.wanted);
      layer.forEach((item, index) => (item.place = index - layer.length / 2));
    }
  }
}

function curve(from, to) {
  const start = from.x + WIDTH;
  const middle = (start + to.x) / 2;
  const line = `M${start} ${from.middle}C${middle} ${from.middle} ${middle} ${to.middle} ${to.x} ${to.middle}`;
  // A bend has no box, so the line goes on through its layer.
  return to.isBend ? `${line}h${WIDTH}` : line;
}
