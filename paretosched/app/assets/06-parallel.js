// Parallel coordinates: one line for each schedule; better is up.
(() => {
  "use strict";
  const {
    $,
    FEW,
    SVG,
    canvasFor,
    clamp,
    colours,
    em,
    fitting,
    limits,
    node,
    onDraw,
    page,
    paintOnce,
    places,
    shape,
    shownAxes,
    valuesOf,
  } = window.paretosched;

  const MOST_LINES = 20000; // lines to draw; of more schedules, every second, third ... one is drawn

  const preparations = []; // functions that let the drawing answer to pointer and keys, once it is there
  const onParallel = (prepare) => preparations.push(prepare);
  const NARROW = 34; // px between two axes, at least
  const PAD = { x: 46, top: 46, bottom: 20 };

  /** Draw the parallel coordinates: the lines where they have changed, and the marks and axes over them. */
  function parallel() {
    const host = $("parallel");
    if (!host || !host.clientWidth || !page.values) return;
    Object.assign(PAD, { x: em(46), top: em(46), bottom: em(20) });
    const axes = shownAxes();
    host.style.minWidth = `${2 * PAD.x + (axes.length - 1) * NARROW}px`; // more axes than fit are scrolled
    const [width, height] = [host.clientWidth, host.clientHeight];
    const [w, h] = [width - 2 * PAD.x, height - PAD.top - PAD.bottom];
    if (h < 1) return;
    const [canvas, ratio] = canvasFor(host, PAD.x, PAD.top, w, h);
    const shown = axes.map((a) => [a.column, a.low, a.high]);
    const key = JSON.stringify([canvas.width, canvas.height, ratio, shown, page.front]);
    paintOnce(canvas, key, () => allLines(host, canvas, ratio, axes, key));
    overlay(host, width, height, w, h);
  }

  /** Paint all schedules, and over them what remains; the counts of all are kept in the host under a key. */
  function allLines(host, canvas, ratio, axes, key) {
    const gap = axes.length > 1 ? canvas.width / (axes.length - 1) : canvas.width;
    const levels = axes.map((axis) => levelsOf(axis));
    const size = canvas.width * canvas.height;
    if (host.key !== key) {
      host.key = key;
      host.all = new Uint32Array(size);
      lines(levels, gap, canvas.width, canvas.height, host.all, null, page.count);
    }
    const some = page.left < page.count;
    let left = null;
    if (!some) left = host.all;
    else if (page.left > FEW)
      lines(levels, gap, canvas.width, canvas.height, (left = new Uint32Array(size)), page.mask, page.left);
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    // the counts are by column, because lines run from column to column
    colours(some ? turned(host.all, canvas) : null, left && turned(left, canvas), image, page.palette);
    context.putImageData(image, 0, 0);
    if (!left) strokes(context, levels, gap, canvas.height, ratio);
  }

  /** Return counts by column as counts by row. */
  function turned(counts, canvas) {
    const [w, h] = [canvas.width, canvas.height];
    const out = new Uint32Array(counts.length);
    for (let x = 0; x < w; x++) for (let y = 0, base = x * h; y < h; y++) out[y * w + x] = counts[base + y];
    return out;
  }

  /** Return where each schedule meets an axis, from 0 at the best end of the axis to 1 at its worst end. */
  function levelsOf(axis) {
    const key = `level ${axis.column}`;
    const cached = page.places.get(key);
    if (cached?.low === axis.low && cached.high === axis.high) return cached.levels;
    const span = axis.high - axis.low;
    const levels = places(axis, axis.log).map((place) => clamp((axis.high - place) / span, 0, 1));
    page.places.set(key, { low: axis.low, high: axis.high, levels });
    return levels;
  }

  /** Count the lines that pass each pixel, column by column. */
  function lines(levels, gap, width, height, counts, mask, many) {
    const stride = Math.max(1, Math.floor(many / MOST_LINES));
    const tall = height - 1;
    for (let j = 0; j + 1 < levels.length; j++) {
      const [from, to] = [levels[j], levels[j + 1]];
      const first = Math.round(j * gap);
      const last = Math.min(width, Math.round((j + 1) * gap));
      const run = last - first;
      let counter = 0;
      for (let i = 0; i < page.count; i++) {
        if (mask && !mask[i]) continue;
        if (stride > 1 && counter++ % stride) continue;
        let y = from[i] * tall + 0.5;
        const rise = ((to[i] - from[i]) * tall) / run;
        for (let at = first * height, stop = last * height; at < stop; at += height) {
          counts[at + (y | 0)]++;
          y += rise;
        }
      }
    }
  }

  /** Draw a few lines one by one. */
  function strokes(context, levels, gap, height, ratio) {
    context.strokeStyle = page.palette.dot;
    context.lineWidth = ratio;
    context.globalAlpha = page.left > 300 ? 0.25 : page.left > 40 ? 0.45 : 0.8;
    for (let i = 0; i < page.count; i++) {
      if (!page.mask[i]) continue;
      context.beginPath();
      levels.forEach((level, j) => context.lineTo(j * gap, level[i] * (height - 1)));
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  const placeOf = (axis, value) => (axis.log ? Math.log10(value * axis.factor) : value * axis.factor);
  const levelOf = (axis, value) => clamp((axis.high - placeOf(axis, value)) / (axis.high - axis.low), -0.02, 1.02);
  const valueAt = (axis, level) => {
    const place = axis.high - level * (axis.high - axis.low);
    return axis.log ? 10 ** place : place;
  };

  /** Draw over the lines: marks, shortlist and the chosen schedule, then the axes and their limits. */
  function overlay(host, width, height, w, h) {
    let svg = host.querySelector(":scope > svg");
    if (!svg) {
      svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("role", "group");
      svg.setAttribute("aria-label", "parallel coordinates: one line for each schedule, better is up");
      host.append(svg);
      for (const prepare of preparations) prepare(svg);
    }
    const axes = shownAxes();
    const focused = document.activeElement?.dataset?.handle;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const at = {
      x: (j) => PAD.x + (axes.length > 1 ? (j * w) / (axes.length - 1) : 0),
      y: (level) => PAD.top + level * h,
      w,
      h,
    };
    strongLines(svg, axes, at);
    const ends = limits();
    axes.forEach((axis, j) => {
      const group = node(svg, "g", { class: "axis", "data-axis": axis.name });
      scaleOf(group, axis, j, at, w / axes.length, j === axes.length - 1);
      limitsOn(group, axis, j, at, ends[axis.name]);
    });
    if (focused) svg.querySelector(`[data-handle="${focused}"]`)?.focus({ preventScroll: true });
  }

  /** Draw the strong lines: marks, shortlist and the chosen schedule. */
  function strongLines(svg, axes, { x, y }) {
    const strong = node(svg, "g", { class: "strong" });
    const path = (values) => axes.map((axis, j) => `${x(j)},${y(levelOf(axis, values[axis.column]))}`).join(" ");
    page.scene.marks.forEach((mark, k) => {
      const look = page.scene.legend[k];
      if (page.hidden.has(mark.name) || axes.some((axis) => mark.values[axis.column] === null)) return;
      const ideal = mark.name.startsWith("ideal") || mark.name.startsWith("best");
      node(strong, "polyline", {
        points: path(mark.values),
        class: `mark ${ideal ? "ideal" : ""}`,
        "data-mark": mark.name,
        stroke: look.colour,
      });
      axes.forEach((axis, j) => shape(strong, look, x(j), y(levelOf(axis, mark.values[axis.column])), 10));
    });
    page.scene.picks.forEach(({ letter, look, dash, values }) => {
      const last = axes.length - 1;
      node(strong, "polyline", { points: path(values), class: `pick line-${look} dash-${dash}` });
      node(
        strong,
        "text",
        {
          x: x(last) + 20,
          y: y(levelOf(axes[last], values[axes[last].column])) + 4,
          class: `picked text-${look}`,
        },
        letter,
      );
    });
    const chosen = valuesOf(page.scene.row);
    node(strong, "polyline", { points: path(chosen), class: "halo" });
    node(strong, "polyline", { points: path(chosen), class: "chosen", "data-mark": "" });
    axes.forEach((axis, j) =>
      node(strong, "circle", { cx: x(j), cy: y(levelOf(axis, chosen[axis.column])), r: 5, class: "ring" }),
    );
  }

  /** Draw an axis with name, unit and ticks. With little room, names are in two rows, and units only in the table. */
  function scaleOf(group, axis, j, { x, y, h }, room, isLast) {
    const crowded = room < em(60);
    node(group, "line", { x1: x(j), x2: x(j), y1: y(0), y2: y(1), class: "rule" });
    node(group, "text", { x: x(j), y: em(crowded && j % 2 ? 29 : 14), class: "name" }, fitting(axis.title, 0.9 * room));
    if (!crowded) {
      const whose = { UTIL: "", AWRT: "all, " }[axis.name];
      const wide = (isLast || !j ? Math.min(room, 2 * PAD.x) : room) - em(18); // at the ends there is less
      const name = axis.label.length * em(6) > wide ? axis.label.replace(/^group /, "") : axis.label;
      const words = whose ?? (name && `${fitting(name, wide)}, `);
      node(group, "text", { x: x(j), y: em(29), class: "unit" }, `${words}${axis.unit}`);
    }
    for (const [place, words] of axis.ticks) {
      const at = y((axis.high - place) / (axis.high - axis.low));
      node(group, "line", { x1: x(j) - 4, x2: x(j), y1: at, y2: at, class: "rule" });
      node(group, "text", { x: x(j) - 7, y: at + em(4), class: "tick" }, words);
    }
    node(group, "rect", {
      x: x(j) - 16,
      y: PAD.top - 8,
      width: 32,
      height: h + 16,
      class: "reach",
      "data-axis": axis.name,
    });
  }

  /** Draw the wish on an axis: the value to come near to, and the two limits, each with a handle. */
  function limitsOn(group, axis, j, { x, y, h }, ends) {
    const near = page.scene.near[axis.name];
    if (near !== undefined) {
      const at = y(levelOf(axis, near));
      node(group, "path", { d: `M${x(j) - 11},${at - 6}L${x(j)},${at}L${x(j) - 11},${at + 6}Z`, class: "aspired" });
    }
    const worst = axis.maximise ? 0 : 1;
    const beyond = Math.min(0.02, 7 / h); // a handle without a limit stands 7 px outside at most, clear of the names
    const level = [0, 1].map((e) => (ends?.[e] ? levelOf(axis, ends[e]) : e === worst ? 1.02 : -0.02));
    const [top, bottom] = [Math.min(...level), Math.max(...level)];
    if (ends?.[0] || ends?.[1])
      node(group, "rect", {
        x: x(j) - 6,
        y: y(top),
        width: 12,
        height: Math.max(y(bottom) - y(top), 2),
        class: "brush",
        "data-axis": axis.name,
      });
    [0, 1].forEach((e) => {
      const set = Boolean(ends?.[e]);
      node(group, "rect", {
        x: x(j) - 9,
        y: y(clamp(level[e], -beyond, 1 + beyond)) - 3.5,
        width: 18,
        height: 7,
        rx: 3.5,
        class: set ? "handle set" : "handle",
        tabindex: 0,
        role: "slider",
        "data-handle": `${axis.name} ${e}`,
        "aria-label": `${axis.name} ${e ? "at most" : "at least"}`,
        "aria-valuetext": set ? `${(ends[e] * axis.factor).toPrecision(4)} ${axis.unit}` : "no limit",
        "aria-valuenow": set ? ends[e] * axis.factor : valueAt(axis, level[e]),
        "aria-orientation": "vertical",
      });
    });
  }

  onDraw(() => $("page").dataset.view === "overview" && parallel());

  Object.assign(window.paretosched, { PAD, levelOf, onParallel, placeOf, valueAt });
})();
