// The style of the pages: light, dark (as the reader's system asks) and print. The bars' colours are of the Okabe–Ito
// palette, which readers with any kind of colour vision can tell apart.
#pragma once

namespace charm::html {

inline constexpr const char* page_style = R"css(
:root { --paper: #ffffff; --panel: #f6f7f9; --ink: #1b1f24; --muted: #5b6470; --line: #d9dde3; --accent: #0072b2;
  --good: #00704f; --bad: #b3261e; --doubt: #8a5a00; --charm: #0072b2; --openmp: #e69f00; --tbb: #009e73; --serial: #8a8f98; --other: #cc79a7; --shade: #00000033; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --panel: #1c2026; --ink: #e6e9ed; --muted: #9aa4b1; --line: #333a44; --accent: #56b4e9;
    --good: #4cc9a0; --bad: #ff8a80; --doubt: #f0b95b; --charm: #56b4e9; --openmp: #e69f00; --tbb: #2bbf94; --serial: #8a8f98; --other: #cc79a7; --shade: #000000aa; }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; }
body { margin: 0 auto; padding: 2.5rem 1.5rem 4rem; max-width: 74rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif; }
h1 { margin: 0; font-size: 1.7rem; line-height: 1.25; letter-spacing: -0.01em; }
h2 { margin: 2.75rem 0 0.9rem; padding-top: 0.9rem; border-top: 1px solid var(--line); font-size: 1.15rem; }
h3 { margin: 0; font-size: 1rem; }
p { margin: 0.4rem 0; }
.muted, figcaption { color: var(--muted); }
.lead { margin: 0.3rem 0 1rem; color: var(--muted); font-size: 1.02rem; }
.verdict { display: inline-block; padding: 0.15rem 0.7rem; border: 1px solid currentColor; border-radius: 1rem;
  font-weight: 600; font-size: 0.92rem; }
.verdict.good { color: var(--good); }
.verdict.bad { color: var(--bad); }
.verdict.doubt { color: var(--doubt); border-radius: 0.7rem; }
dl.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 0.8rem 1.5rem; margin: 1.4rem 0 0; }
dl.facts dt { color: var(--muted); font-size: 0.82rem; }
dl.facts dd { margin: 0; overflow-wrap: anywhere; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1.1rem; }
figure { margin: 0 0 1rem; padding: 0.9rem 1rem 0.6rem; border-radius: 8px; break-inside: avoid; }
.panels figure { margin: 0; }
figure .sub { margin: 0 0 0.5rem; font-size: 0.88rem; color: var(--muted); }
svg.bars { display: block; width: 100%; height: auto; font-size: 12.5px; }
svg.bars text { fill: var(--ink); font-family: inherit; }
svg.bars .tick { fill: var(--muted); font-size: 11px; }
svg.bars .muted { fill: var(--muted); }
svg.bars .value { font-variant-numeric: tabular-nums; }
svg.bars .grid { stroke: var(--line); stroke-width: 1; }
svg.bars .axis { stroke: var(--muted); stroke-width: 1; }
svg.bars .whisker { stroke: var(--ink); stroke-width: 1.3; fill: none; }
.bar-charm { fill: var(--charm); } .bar-openmp { fill: var(--openmp); } .bar-tbb { fill: var(--tbb); }
.bar-serial { fill: var(--serial); } .bar-other { fill: var(--other); }
.bar-wrong { fill: none; stroke: var(--bad); stroke-width: 1.2; stroke-dasharray: 4 3; }
svg.history .spread { fill: none; stroke: var(--charm); stroke-width: 1.8; }
svg.history .signal { fill: none; stroke: var(--muted); stroke-width: 1.1; }
svg.history .decision { fill: var(--bad); }
svg.bars .bad { fill: var(--bad); font-weight: 600; }
.scroll, figure, .machine { overflow-x: auto; }
/* A shadow at an edge beyond which there is more. */
.scroll, figure { background:
    linear-gradient(to right, var(--ground) 40%, transparent) left / 3rem 100% local no-repeat,
    linear-gradient(to left, var(--ground) 40%, transparent) right / 3rem 100% local no-repeat,
    linear-gradient(to right, var(--shade), transparent) left / 0.9rem 100% no-repeat,
    linear-gradient(to left, var(--shade), transparent) right / 0.9rem 100% no-repeat, var(--ground); }
.scroll { --ground: var(--paper); }
figure { --ground: var(--panel); }
figure.machine { --ground: var(--paper); }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.28rem 0.9rem 0.28rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { color: var(--muted); font-weight: 500; white-space: nowrap; }
th.number, td.number { text-align: right; white-space: nowrap; }
tr { break-inside: avoid; }
table.results { width: 100%; }
table.results tr.first td { border-top: 2px solid var(--line); }
td.detail { color: var(--muted); font-size: 0.84rem; min-width: 9rem; }
td.bad { color: var(--bad); font-weight: 600; }
.machine { padding: 1rem; border: 1px solid var(--line); border-radius: 8px; }
.machine svg { display: block; max-width: 100%; height: auto; margin: 0 auto; }
.worker_cores { display: flex; flex-wrap: wrap; gap: 0.8rem 2rem; margin: 0.5rem 0 1.4rem; }
.worker_cores th, .worker_cores td { padding: 0.12rem 0.8rem 0.12rem 0; font-size: 0.84rem; }
pre { overflow-x: auto; }
ul.notes { margin: 0; padding-left: 1.2rem; }
code { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 0.92em; }
footer { margin-top: 3rem; color: var(--muted); font-size: 0.85rem; }
@page { margin: 14mm; }
@media print {
  :root { --paper: #ffffff; --panel: #ffffff; --ink: #000000; --muted: #444444; --line: #cccccc; --accent: #0072b2;
    --good: #00704f; --bad: #b3261e; --doubt: #6b4600; --charm: #0072b2; --openmp: #e69f00; --tbb: #009e73; }
  html { font-size: 10px; }
  body { max-width: none; padding: 0; font-size: 10px; }
  h2, h3 { break-after: avoid; }
  h2 { margin-top: 1.6rem; }
  figure { border: 1px solid var(--line); }
  .scroll, figure { overflow: visible; background: none; }
  svg { min-width: 0 !important; }
  td, th { padding-right: 0.7rem; }
  td.detail { min-width: 0; }
  .worker_cores { display: block; }
  .worker_cores table { display: inline-table; vertical-align: top; margin: 0 1.5rem 0.8rem 0; break-inside: avoid; }
  .panels { grid-template-columns: 1fr 1fr; }
  .bar-charm, .bar-openmp, .bar-tbb, .bar-serial, .bar-other { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)css";

}  // namespace charm::html
