"use strict";
// Plots of /api/v1/history: <figure class="plot" data-series="a,b" data-unit="bytes">.
(() => {
  const bytes = (value) => {
    const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return (unit ? value.toFixed(1) : value) + " " + units[unit];
  };
  const shown = (unit, value) => {
    if (value === null || value === undefined) return "–";
    return unit === "bytes" ? bytes(value) : (Number.isInteger(value) ? value : value.toFixed(1)) + (unit ? " " + unit : "");
  };
  // In UTC, as all times on the pages; seconds where ticks are closer than a minute.
  const time = (seconds, step) => new Date(seconds * 1000).toISOString().slice(11, step < 60 ? 19 : 16);
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const draw = async (figure) => {
    const names = figure.dataset.series.split(",");
    const query = names.map((name) => "series=" + encodeURIComponent(name)).join("&");
    const answer = await fetch("/api/v1/history?" + query, { headers: { Accept: "application/json" } });
    const caption = figure.querySelector("figcaption");
    caption.dataset.title = caption.dataset.title || caption.textContent;
    if (!answer.ok) {
      caption.textContent = caption.dataset.title + ": no sample yet";
      return;
    }
    const series = (await answer.json()).series;
    const unit = figure.dataset.unit;
    const latest = series.map((each) => shown(unit, each.values.at(-1))).join(", ");
    caption.textContent = caption.dataset.title + ": " + (series[0].values.length ? latest : "no sample yet");
    if (series[0].values.length < 2) return;
    const data = [series[0].seconds, ...series.map((each) => each.values)];
    const colours = [colour("--pico-primary"), colour("--warn")];
    const axis = { stroke: colour("--pico-muted-color"), grid: { stroke: colour("--pico-muted-border-color"), width: 1 } };
    if (figure.plot) figure.plot.destroy();
    figure.plot = new uPlot(
      {
        width: Math.max(200, figure.clientWidth),
        height: 150,
        legend: { show: false },
        cursor: { show: false },
        scales: { y: { range: (_, low, high) => [Math.min(0, low), high > 0 ? high * 1.1 : 1] } },
        axes: [{ ...axis, values: (_, ticks, ...rest) => ticks.map((tick) => time(tick, rest.at(-1))) }, { ...axis, size: 75, values: (_, ticks) => ticks.map((tick) => shown(unit, tick)) }],
        series: [{}, ...series.map((each, index) => ({ label: each.name, stroke: colours[index], width: 2, spanGaps: false, dash: index ? [4, 4] : undefined }))],
      },
      data,
      figure,
    );
    figure.querySelector(".u-wrap").setAttribute("aria-hidden", "true");
  };
  let drawn = 0;
  const all = () => {
    if (Date.now() - drawn < 9000) return;
    drawn = Date.now();
    document.querySelectorAll("figure.plot").forEach((figure) => draw(figure).catch(() => {}));
  };
  const redraw = () => {
    drawn = 0;
    all();
  };
  document.body.addEventListener("live-status", all);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  all();
})();
