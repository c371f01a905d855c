// Shapes, drawn on a grid of 16. They repeat what a word beside them says, so they are hidden from screen readers.
import {html, svg} from './lit-html.js';

const SHAPES = {
  // States: each has an outline of its own, so that colour is never needed.
  scheduled: svg`<circle cx="8" cy="8" r="5.5"/><path d="M8 5v3.2l2 1.3"/>`,
  pending: svg`<circle cx="8" cy="8" r="5.5" stroke-dasharray="2.4 2.2"/>`,
  waiting: svg`<path d="M4.5 3h7M4.5 13h7M5 3c0 5 6 5 6 10M11 3c0 5-6 5-6 10"/>`,
  running: svg`<circle cx="8" cy="8" r="5.5"/><path class="solid" d="M6.6 5.4 10.8 8l-4.2 2.6z"/>`,
  completed: svg`<path d="m3.5 8.5 3 3 6-7"/>`,
  cancelled: svg`<circle cx="8" cy="8" r="5.5"/><path d="m4.3 11.7 7.4-7.4"/>`,
  dead: svg`<path d="M5.5 2.5h5l3 3v5l-3 3h-5l-3-3v-5z"/><path d="m6 6 4 4m0-4-4 4"/>`,
  paused: svg`<path d="M5.5 4v8m5-8v8" stroke-width="2.2"/>`,
  compensating: svg`<path d="M5.5 4 3 6.5 5.5 9M3 6.5h6.5a3.2 3.2 0 0 1 0 6.4H6"/>`,
  live: svg`<circle class="solid" cx="8" cy="8" r="4"/>`,
  silent: svg`<circle cx="8" cy="8" r="4.5"/><path d="M5.5 8h5"/>`,
  // Levels
  warning: svg`<path d="M8 2.5 14 13H2z"/><path d="M8 6.5v3m0 1.6v.3"/>`,
  critical: svg`<path d="M5.5 2.5h5l3 3v5l-3 3h-5l-3-3v-5z"/><path d="M8 5v3.8m0 1.8v.3"/>`,
  // Pages
  overview: svg`<path d="M2.5 13V8.5M6.2 13V3M9.8 13V6.5M13.5 13V5"/>`,
  queues: svg`<path d="M2.5 4h11M2.5 8h11M2.5 12h6"/>`,
  jobs: svg`<rect x="2.5" y="3" width="11" height="10" rx="2"/><path d="M5.5 8.3 7.2 10l3.3-4"/>`,
  dead_letters: svg`<path d="M2.5 4.5h11v8h-11z"/><path d="m2.5 5 5.5 4 5.5-4"/>`,
  flows: svg`<circle cx="4" cy="8" r="1.8"/><circle cx="12" cy="4" r="1.8"/><circle cx="12" cy="12" r="1.8"/><path d="m5.7 7.2 4.6-2.3m-4.6 3.9 4.6 2.3"/>`,
  lanes: svg`<path d="M2.5 3v10M13.5 3v10M8 3v2.2m0 1.7v2.2m0 1.7V13"/>`,
  schedules: svg`<rect x="2.5" y="3.5" width="11" height="10" rx="1.5"/><path d="M2.5 6.5h11M5.5 2v2.5m5-2.5v2.5"/>`,
  nodes: svg`<rect x="2.5" y="2.5" width="11" height="4.5" rx="1"/><rect x="2.5" y="9" width="11" height="4.5" rx="1"/><path d="M5 4.8h.1M5 11.2h.1"/>`,
  audit: svg`<path d="M4 2.5h6l2.5 2.5v8.5H4z"/><path d="M6 7h4.5M6 10h4.5"/>`,
  publish: svg`<path d="M8 3v10M3 8h10"/>`,
  // Things to press
  search: svg`<circle cx="7" cy="7" r="4"/><path d="m10.2 10.2 3.3 3.3"/>`,
  theme: svg`<circle cx="8" cy="8" r="5.5"/><path class="solid" d="M8 2.5a5.5 5.5 0 0 1 0 11z"/>`,
  keyboard: svg`<rect x="1.5" y="4" width="13" height="8" rx="1.5"/><path d="M4 6.7h.1m2.6 0h.1m2.6 0h.1m2.5 0h.1M5 9.6h6"/>`,
  close: svg`<path d="m4 4 8 8m0-8-8 8"/>`,
  copy: svg`<rect x="5.5" y="5.5" width="8" height="8" rx="1.5"/><path d="M10.5 3.5v-1h-8v8h1"/>`,
};

export const icon = (name) =>
  html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    ${SHAPES[name] ?? SHAPES.pending}
  </svg>`;
