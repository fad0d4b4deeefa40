// Formats numbers and times.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const whole = new Intl.NumberFormat("en");

/** `1.5 GiB`. */
export function bytes(value) {
  let unit = 0;
  let scaled = value;
  while (scaled >= 1023.5 && unit < UNITS.length - 1) {
    scaled /= 1024;
    unit++;
  }
  const digits = unit === 0 || scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
  return `${Number(scaled.toFixed(digits))} ${UNITS[unit]}`;
}

export function rate(value) {
  return `${bytes(value)}/s`;
}

export function count(value) {
  return whole.format(value);
}

/** `1 server`, `2 servers`. */
export function plural(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

export function share(part, all) {
  return all > 0 ? part / all : 0;
}

export function percent(value) {
  return `${value > 0 && value < 0.01 ? "<1" : Math.round(value * 100)} %`;
}

/** `3 min 20 s`: the two largest parts. */
export function span(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const parts = [
    [Math.floor(seconds / 86400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [seconds % 60, "s"],
  ];
  const first = parts.findIndex(([amount]) => amount > 0);
  if (first < 0) return "0 s";
  return parts.slice(first, first + 2).filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`).join(" ");
}

export function ago(ms) {
  return ms < 1500 ? "now" : `${span(ms)} ago`;
}

export function clockTime(ms) {
  return new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
}

export function dateTime(ms) {
  return new Date(ms).toISOString().replace("T", " ").replace(/\.\d+Z$/, " UTC");
}

/** `1.4x`, or a dash. */
export function factor(value) {
  return value === null || value === undefined ? "–" : `${Number(value.toFixed(value < 10 ? 2 : 1))}×`;
}
