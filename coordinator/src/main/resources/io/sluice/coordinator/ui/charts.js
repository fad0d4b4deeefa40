// Time series charts. Repainting the page does not recreate them.

import { bytes, rate, clockTime } from "./format.js";
import { h } from "./dom.js";

const { Chart } = globalThis;
const drawn = new Map();

/** The container of a chart, filled by `drawCharts`. */
export function chartFigure(id, title, spoken) {
  return h("figure", { class: "card chart", "data-key": `chart-${id}` },
    h("figcaption", null, title),
    h("div", { id: `chart-${id}`, class: "plot", "data-keep": true, role: "img", "aria-label": spoken }));
}

/** Draws or updates charts: { id, times, lines: [{ label, values, colour }], unit: "rate" | "bytes" }.
 * Removes all other charts.
 */
export function drawCharts(charts) {
  const wanted = new Set(charts.map(chart => chart.id));
  for (const [id, known] of drawn) {
    if (!wanted.has(id) || !known.canvas.isConnected) forget(id);
  }
  for (const chart of charts) {
    const container = document.getElementById(`chart-${chart.id}`);
    if (!container) continue;
    const known = drawn.get(chart.id);
    if (known) update(known, chart);
    else drawn.set(chart.id, draw(container, chart));
  }
}

/** Removes all charts, so that they are drawn again with new colours. */
export function redrawCharts() {
  for (const id of [...drawn.keys()]) forget(id);
}

function forget(id) {
  const known = drawn.get(id);
  known.destroy();
  known.canvas?.remove();
  drawn.delete(id);
}

function points(chart, line) {
  return chart.times.map((time, index) => ({ x: time, y: line.values[index] }));
}

/** The time range: at least three minutes, so that a few samples do not fill the whole chart. */
function span(chart) {
  const last = chart.times.at(-1) ?? Date.now();
  return { min: Math.min(chart.times[0] ?? last, last - 3 * 60_000), max: last };
}

function update(known, chart) {
  chart.lines.forEach((line, index) => { known.data.datasets[index].data = points(chart, line); });
  Object.assign(known.options.scales.x, span(chart));
  known.update("none");
}

function draw(container, chart) {
  const canvas = h("canvas", { "aria-hidden": "true" });
  container.replaceChildren(canvas);
  const print = chart.unit === "rate" ? rate : bytes;
  const soft = colour("--soft");
  const grid = { color: colour("--line"), drawTicks: false };
  return new Chart(canvas, {
    type: "line",
    data: {
      datasets: chart.lines.map(line => ({
        label: line.label, data: points(chart, line), borderColor: colour(line.colour), backgroundColor: colour(line.colour, 0.12),
        borderWidth: 2, pointRadius: 0, pointHitRadius: 8, fill: "origin", cubicInterpolationMode: "monotone",
      })),
    },
    options: {
      animation: false, responsive: true, maintainAspectRatio: false, parsing: false, normalized: true,
      interaction: { mode: "index", intersect: false },
      font: { family: "inherit" },
      scales: {
        x: { type: "linear", ...span(chart), grid: { ...grid, display: false }, border: { color: colour("--line") },
          ticks: { color: soft, maxRotation: 0, autoSkipPadding: 24, callback: at => clockTime(at).slice(0, 5) },
          afterBuildTicks: axis => { axis.ticks = minutes(axis.min, axis.max).map(value => ({ value })); } },
        y: { beginAtZero: true, suggestedMax: 1024, grid, border: { display: false },
          ticks: { color: soft, padding: 8, callback: print },
          afterBuildTicks: axis => { axis.ticks = steps(axis.max).map(value => ({ value })); } },
      },
      plugins: {
        legend: { position: "bottom", align: "start", labels: { color: soft, boxWidth: 12, boxHeight: 3, padding: 14 } },
        tooltip: { callbacks: { title: items => clockTime(items[0].parsed.x), label: item => ` ${item.dataset.label}: ${print(item.parsed.y)}` } },
      },
    },
  });
}

/** Ticks of the time axis: about five, at whole minutes. */
function minutes(from, to) {
  const step = [1, 2, 5, 10, 15, 30].map(count => count * 60_000).find(length => (to - from) / length <= 6) ?? 3_600_000;
  const found = [];
  // A tick at the edge would overlap the other axis.
  for (let at = Math.ceil((from + (to - from) / 25) / step) * step; at <= to; at += step) found.push(at);
  return found;
}

/** Ticks of the byte axis: about four, at powers of two. */
function steps(max) {
  let step = 1;
  while (max / step > 5) step *= 2;
  const found = [];
  for (let at = 0; at <= max; at += step) found.push(at);
  return found;
}

/** The value of a style sheet variable in the current theme. */
function colour(variable, alpha) {
  const probe = h("span", { css: { color: `var(${variable})`, display: "none" } });
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return alpha === undefined ? found : found.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);
}
