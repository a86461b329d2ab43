// SPDX-License-Identifier: Apache-2.0
// Numbers as the terminal prints them (platform/text/format.cpp), to the last digit.

/// Like printf: an exact tie goes to the even digit, which toFixed does not do.
function fixed(value, digits) {
  const scaled = value * 10 ** digits;
  const below = Math.floor(scaled);
  if (scaled - below === 0.5) return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
  return value.toFixed(digits);
}

function fourDigits(value, unit) {
  return fixed(value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0) + " " + unit;
}

function scaled(value, units) {
  let unit = 0;
  while (unit + 1 < units.length && value >= 999.95) {
    value /= 1000;
    ++unit;
  }
  return fourDigits(value, units[unit]);
}

const picoseconds = (seconds) => Math.round(seconds * 1e12);

/// Of whole picoseconds.
function formatTime(ps) {
  return ps < 1000 ? `${ps} ps` : scaled(ps * 1e-3, ["ns", "us", "ms", "s", "ks"]);
}

/// "-1.500 us", "+20.00 ns", "0 ps".
const signedTime = (ps) => (ps < 0 ? "-" : ps > 0 ? "+" : "") + formatTime(Math.abs(ps));

const formatSeconds = (seconds) => formatTime(picoseconds(seconds));

/// " ± 2.100 us" of a figure of a sampled run; of others "".
const plusMinus = (halfWidth) => (halfWidth ? ` ± ${formatSeconds(halfWidth)}` : "");

function formatBytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0, value = bytes;
  while (unit + 1 < units.length && value >= 1024 && value % 1024 === 0) {
    value /= 1024;
    ++unit;
  }
  if ((unit > 0 && value < 100000) || bytes < 1000) return `${value} ${units[unit]}`;
  return scaled(bytes / 1000, ["kB", "MB", "GB", "TB", "PB"]);
}

const formatBandwidth = (rate) => scaled(rate / 1000, ["kB/s", "MB/s", "GB/s", "TB/s", "PB/s"]);
const formatPercent = (fraction) => fixed(100 * fraction, 2) + " %";

/// A time axis in one unit: {unit, of(ps)}.
function timeUnit(mostPs) {
  const units = [["ps", 1], ["ns", 1e3], ["us", 1e6], ["ms", 1e9], ["s", 1e12]];
  const [unit, size] = units.filter(([, each]) => mostPs >= each).pop() ?? units[0];
  return {unit, of: (ps) => ps / size};
}
