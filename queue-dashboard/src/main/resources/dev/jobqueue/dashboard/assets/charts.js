// Charts in SVG. The drawing is stretched to its box, so all text stands outside of it, in HTML.
import {html, nothing, svg} from './lit-html.js';
import {clock, count, span} from './format.js';

const WIDTH = 1000;
const HEIGHT = 100;

/** The next of 1, 2, 5, 10 ... at or above the value: a scale that seldom changes. */
function roundUp(value, steps = [1, 2, 5, 10]) {
  if (!(value > 0)) return steps[0];
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return magnitude * steps.find((step) => step * magnitude >= value * 0.999);
}

const SPANS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000,
  1_200_000, 1_800_000, 3_600_000, 7_200_000, 21_600_000, 43_200_000, 86_400_000,
];

export const SCALES = {
  count: {max: (value) => Math.max(roundUp(value), 2), text: (value) => count(Math.round(value * 10) / 10)},
  span: {max: (value) => SPANS.find((each) => each >= value) ?? roundUp(value), text: span},
};

/**
 * @param {object} chart title; unit; scale of SCALES; times (when each point began, in milliseconds);
 *     series: [{name, kind: 'area' | 'line', className, values}], null where there is nothing; ends: three texts for the axis;
 *     cursor: the index of the point that is read, or null; onCursor
 */
export function chart({title, unit, scale, times, series, ends, cursor, onCursor}) {
  const top = scale.max(Math.max(0, ...series.flatMap(({values}) => values).filter((value) => value !== null)));
  const x = (index) => (times.length < 2 ? WIDTH : (index * WIDTH) / (times.length - 1));
  const y = (value) => HEIGHT - (Math.min(value, top) * HEIGHT) / top;
  const isRead = cursor !== null && cursor < times.length;
  const at = isRead ? cursor : times.length - 1;
  const reading = series.map(({name, values}) => `${name} ${valueText(values[at], scale)}`).join(', ');
  return html`
    <figure class="chart">
      <figcaption>
        <span class="chart-title"
          >${title} <span class="unit">${unit}</span
          ><span class="reading-time">${isRead ? clock(times[at]) : ''}</span></span
        >
        <span class="reading">
          ${series.map(
            ({name, className, values}) =>
              html`<span class="reading-value ${className}">
                <svg class="swatch" viewBox="0 0 16 4" aria-hidden="true"><path d="M0 2h16" /></svg>${name}
                <b>${valueText(values[at], scale)}</b></span
              >`,
          )}
        </span>
      </figcaption>
      <div
        class="plot"
        @pointermove=${(event) => onCursor(indexAt(event, times.length))}
        @pointerleave=${() => onCursor(null)}
      >
        <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d="M0 0H${WIDTH}M0 ${HEIGHT / 2}H${WIDTH}" />
          ${series.map(({kind, className, values}) => drawn(kind, className, values, x, y))}
          <path class="axis" d="M0 ${HEIGHT}H${WIDTH}" />
          ${isRead ? svg`<path class="cursor" d="M${x(cursor)} 0V${HEIGHT}"/>` : nothing}
        </svg>
        <span class="y top" aria-hidden="true">${scale.text(top)}</span>
        <span class="y middle" aria-hidden="true">${scale.text(top / 2)}</span>
        <!-- The chart for the keyboard and for those who do not see it: the arrow keys go from point to point. -->
        <input
          type="range"
          min="0"
          max=${Math.max(times.length - 1, 0)}
          .value=${String(Math.max(at, 0))}
          aria-label="${title}, ${unit}"
          aria-valuetext=${times.length ? `${clock(times[at])}: ${reading}` : 'no data'}
          @input=${(event) => onCursor(Number(event.target.value))}
          @blur=${() => onCursor(null)}
        />
      </div>
      <div class="x" aria-hidden="true">${ends.map((text) => html`<span>${text}</span>`)}</div>
    </figure>
  `;
}

const valueText = (value, scale) => (value === null || value === undefined ? '–' : scale.text(value));

function indexAt(event, length) {
  const box = event.currentTarget.getBoundingClientRect();
  const part = (event.clientX - box.left) / box.width;
  return Math.min(Math.max(Math.round(part * (length - 1)), 0), length - 1);
}

function drawn(kind, className, values, x, y) {
  // A line along the axis would say that there is something.
  if (kind === 'line' && !values.some(Boolean)) return nothing;
  const runs = runsOf(values);
  const line = runs.map((run) => pathOf(run, x, y)).join('');
  const area = kind === 'area' ? runs.map((run) => `${pathOf(run, x, y)}V${HEIGHT}H${x(run[0][0])}z`).join('') : null;
  return svg`${area ? svg`<path class="area ${className}" d=${area}/>` : nothing}<path class="line ${className}" d=${line}/>`;
}

/** Points next to each other that have values: a gap in the data is a gap in the line. */
function runsOf(values) {
  const runs = [];
  let run = null;
  values.forEach((value, index) => {
    if (value === null || value === undefined) {
      run = null;
      return;
    }
    if (!run) runs.push((run = []));
    run.push([index, value]);
  });
  return runs;
}

function pathOf(run, x, y) {
  const points = run.map(([index, value]) => `${round(x(index))} ${round(y(value))}`);
  // A single point gets a short dash, or it would not be seen.
  return points.length === 1 ? `M${points[0]}h4` : `M${points.join('L')}`;
}

const round = (number) => Math.round(number * 100) / 100;

/** Bars without axes, to compare rows by their shape. */
export function sparkline(values, label) {
  const top = Math.max(1, ...values);
  const step = 4;
  const bars = values
    .map((value, index) => (value > 0 ? `M${index * step} 20v${-Math.max(1.5, round((value * 18) / top))}h3V20z` : ''))
    .join('');
  return html`
    <svg
      class="spark"
      viewBox="0 0 ${values.length * step} 20"
      preserveAspectRatio="none"
      role="img"
      aria-label=${label}
    >
      <path class="axis" d="M0 19.5H${values.length * step}" />
      <path class="bars" d=${bars} />
    </svg>
  `;
}
