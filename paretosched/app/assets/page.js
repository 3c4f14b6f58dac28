// The page in the browser: all values of the front are held here once, and every brush is answered from them.
// The server is told when a brush rests, and answers with words, tables and figures; see tabs.py and server.py.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const NONE = window.dash_clientside?.no_update;
  const page = { scene: null, values: null, count: 0, mask: null, left: 0, live: null, places: new Map(), palette: null };
  const FEW = 1500; // schedules that are drawn one by one; more of them are a density
  const MOST_COUNTED = 4095;
  const MOST_LINES = 20000; // lines that are drawn; of more, evenly spread ones
  const MOST_OPENED = 500000; // bytes of a file
  const SVG = "http://www.w3.org/2000/svg";

  const data = fetch("front.bin").then((answer) => {
    if (!answer.ok) throw new Error(answer.statusText);
    return answer.arrayBuffer();
  });

  // --- what is said to the server ---------------------------------------------------------------------------------

  let spoken = 0;
  let waits = 0; // since when an answer is due
  const say = (action) => {
    waits = Date.now();
    window.dash_clientside.set_props("said", { data: { ...action, turn: ++spoken } });
  };

  /** Ask now and then whether something has changed by itself: a training, or this page in another window. */
  async function pulse() {
    try {
      if (page.scene && Date.now() - waits > 5000) {
        const answer = await (await fetch("pulse")).json();
        if (answer.revision !== page.scene.revision) {
          page.asked = true;
          say({ do: "refresh" });
        }
        document.documentElement.classList.remove("lost");
      }
    } catch {
      document.documentElement.classList.add("lost"); // the server has ended
    }
    setTimeout(pulse, page.scene?.busy ? 1000 : 3000);
  }
  setTimeout(pulse, 500);

  const draw = async (scene) => {
    if (!scene) return;
    waits = 0;
    if (scene.message) {
      complain(scene.message);
      page.live = null; // what was asked for is not: back to what holds
      return refresh();
    }
    page.scene = scene;
    page.live = null;
    if (!page.values) {
      const all = new Float64Array(await data);
      page.count = all.length / scene.columns;
      page.values = Array.from({ length: scene.columns }, (_, k) => all.subarray(k * page.count, (k + 1) * page.count));
      page.mask = new Uint8Array(page.count).fill(1);
    }
    if (!page.asked) complain(""); // what the owner was told stays when something changes by itself
    page.asked = false;
    for (const [id, value] of [["across", page.scene.across], ["up", page.scene.up]]) $(id).value = value;
    for (const id of ["log", "fit"]) {
      const check = $(id).querySelector("input");
      if (check) check.checked = page.scene[id];
    }
    ["undo", "redo"].forEach((id, k) => ($(id).disabled = !page.scene.undoable[k]));
    $("words").textContent = page.scene.words;
    legend();
    selected();
    refresh();
    document.documentElement.dataset.revision = page.scene.revision;
  };

  window.dash_clientside = Object.assign(window.dash_clientside || {}, { page: { draw: (scene) => void draw(scene) } });

  // --- values, limits, masks --------------------------------------------------------------------------------------

  const axisOf = (name) => page.scene.axes.find((axis) => axis.name === name);

  /** All values of an objective as they are drawn: hours or per cent, or the logarithm of that. */
  function places(axis, log) {
    const key = `${axis.column} ${log}`;
    if (!page.places.has(key)) {
      const from = page.values[axis.column];
      const to = new Float32Array(page.count);
      for (let i = 0; i < page.count; i++) to[i] = log ? Math.log10(from[i] * axis.factor) : from[i] * axis.factor;
      page.places.set(key, to);
    }
    return page.places.get(key);
  }

  const limits = () => ({ ...page.scene.limits, ...page.live });

  function filter() {
    const mask = page.mask.fill(1);
    for (const [name, ends] of Object.entries(limits())) {
      if (!ends || !axisOf(name)) continue;
      const values = page.values[axisOf(name).column];
      const low = ends[0] ?? 0;
      const high = ends[1] ?? Infinity;
      for (let i = 0; i < page.count; i++) if (!(values[i] >= low && values[i] <= high)) mask[i] = 0;
    }
    let left = 0;
    for (let i = 0; i < page.count; i++) left += mask[i];
    page.left = left;
    const words = $("left");
    words.replaceChildren(element("b", left.toLocaleString("en")), ` of ${page.count.toLocaleString("en")} ${page.count === 1 ? "schedule remains" : "schedules remain"}`);
    words.dataset.left = left;
  }

  function element(name, text) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  /** Round a limit so that a person can read it: to a 400th of what the axis shows. */
  function round(value, span) {
    const step = 10 ** Math.floor(Math.log10(span / 400 || 1));
    return Number((Math.round(value / step) * step).toPrecision(10));
  }

  const natural = (drawn, axis) => Number((axis.factor === 1 ? drawn : drawn / axis.factor).toPrecision(12));

  // --- painting ---------------------------------------------------------------------------------------------------

  function palette() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => {
      const hex = style.getPropertyValue(name).trim();
      return [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
    };
    const ramp = (from, to) => {
      const [a, b] = [read(from), read(to)];
      return Uint32Array.from({ length: 64 }, (_, k) => {
        const [r, g, blue] = a.map((x, c) => Math.round(x + ((b[c] - x) * k) / 63));
        return ((255 << 24) | (blue << 16) | (g << 8) | r) >>> 0;
      });
    };
    return { all: ramp("--all-few", "--all-many"), left: ramp("--left-few", "--left-many"), dot: style.getPropertyValue("--left-many") };
  }

  /** Make a density an image: the more schedules pass a pixel, the stronger; every strength is as frequent as any other. */
  function colours(all, left, into, palette) {
    const pixels = new Uint32Array(into.data.buffer);
    const layers = [[left, palette.left], [all, palette.all]].filter(([counts]) => counts).map(([counts, ramp]) => [counts, ramp, strengths(counts)]);
    for (let i = 0; i < pixels.length; i++) {
      for (const [counts, ramp, strength] of layers) {
        if (counts[i]) {
          pixels[i] = ramp[strength[Math.min(counts[i], MOST_COUNTED)]];
          break;
        }
      }
    }
  }

  function strengths(counts) {
    const frequent = new Uint32Array(MOST_COUNTED + 1);
    for (let i = 0; i < counts.length; i++) frequent[Math.min(counts[i], MOST_COUNTED)]++;
    frequent[0] = 0;
    const all = frequent.reduce((sum, x) => sum + x, 0) || 1;
    let below = 0;
    return Uint8Array.from(frequent, (x) => {
      const strength = (below + x / 2) / all;
      below += x;
      return Math.min(63, 64 * strength ** 1.4);
    });
  }

  function canvasFor(host, x, y, width, height) {
    let canvas = host.querySelector(":scope > canvas");
    if (!canvas) {
      canvas = document.createElement("canvas");
      canvas.setAttribute("aria-hidden", "true");
      host.prepend(canvas);
    }
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    Object.assign(canvas.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    return [canvas, ratio];
  }

  /** Count the points of a projection in a box of a grid. */
  function points(xs, ys, box, ranges, size, counts, stride, mask) {
    const [x0, y0, w, h] = box;
    const [[xl, xh], [yl, yh]] = ranges;
    const [sx, sy] = [(w - size) / (xh - xl), (h - size) / (yh - yl)];
    for (let i = 0; i < xs.length; i++) {
      if (mask && !mask[i]) continue;
      const px = ((xs[i] - xl) * sx) | 0;
      const py = ((yh - ys[i]) * sy) | 0;
      if (xs[i] < xl || ys[i] > yh || px > w - size || py > h - size) continue;
      for (let r = 0; r < size; r++) {
        const base = (y0 + py + r) * stride + x0 + px;
        for (let c = 0; c < size; c++) counts[base + c]++;
      }
    }
  }

  /** The size of a schedule: large enough to be seen, small enough for as many of them. */
  const spot = (count, canvas, ratio) => {
    const room = Math.sqrt((canvas.width * canvas.height) / count) / ratio;
    return Math.max(1, Math.round(ratio * Math.min(Math.max(0.75 * room, 1), 3)));
  };

  function dots(context, xs, ys, box, ranges, ratio, palette, radius = 2.6) {
    const [x0, y0, w, h] = box;
    const [[xl, xh], [yl, yh]] = ranges;
    context.fillStyle = palette.dot;
    context.globalAlpha = 0.8;
    for (let i = 0; i < xs.length; i++) {
      if (!page.mask[i]) continue;
      const px = ((xs[i] - xl) / (xh - xl)) * w;
      const py = ((yh - ys[i]) / (yh - yl)) * h;
      if (px < 0 || py < 0 || px > w || py > h) continue;
      context.beginPath();
      context.arc(x0 + px, y0 + py, radius * ratio, 0, 7);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  // --- projections: plotly draws axes and marks, this the schedules beneath them ------------------------------------

  const graph = (id) => $(id)?.querySelector(".js-plotly-plot");
  const drawable = (gd) => gd?.layout?.xaxis?.range && gd.clientWidth > 0;

  function frame(gd) {
    const { l, r, t, b } = gd.layout.margin;
    return [l, t, gd.clientWidth - l - r, gd.clientHeight - t - b];
  }

  function of(id) {
    const names = id === "util" ? ["UTIL", "AWRT"] : [page.scene.across, page.scene.up];
    return names.map(axisOf);
  }

  const logs = (gd) => [gd.layout.xaxis, gd.layout.yaxis].map((axis) => axis.type === "log");

  function cloud(id) {
    const gd = graph(id);
    if (!page.values || !drawable(gd)) return;
    const axes = of(id);
    const titles = [gd.layout.xaxis, gd.layout.yaxis].map((axis) => axis.title.text.split(" ")[0]);
    if (axes.some((axis, k) => axis?.name !== titles[k])) return; // the figure of before is still there
    const host = gd.closest(".cloud");
    const [x, y, w, h] = frame(gd);
    const [canvas, ratio] = canvasFor(host, x, y, w, h);
    const [xs, ys] = axes.map((axis, k) => places(axis, logs(gd)[k]));
    const ranges = [gd.layout.xaxis.range, gd.layout.yaxis.range];
    const box = [0, 0, canvas.width, canvas.height];
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const key = JSON.stringify([box, ranges, axes.map((a) => a.column), page.count]);
    if (host.key !== key) {
      host.key = key;
      host.all = new Uint32Array(canvas.width * canvas.height);
      points(xs, ys, box, ranges, spot(page.count, canvas, ratio), host.all, canvas.width, null);
    }
    const some = page.left < page.count;
    let left = null;
    if (!some) left = host.all;
    else if (page.left > FEW) {
      left = new Uint32Array(canvas.width * canvas.height);
      points(xs, ys, box, ranges, spot(page.left, canvas, ratio), left, canvas.width, page.mask);
    }
    colours(some ? host.all : null, left, image, page.palette);
    context.putImageData(image, 0, 0);
    if (!left) dots(context, xs, ys, box, ranges, ratio, page.palette);
  }

  /** The schedule that remains nearest to a place of the screen; -1 if none is near. */
  function under(id, event, reach = 14) {
    const gd = graph(id);
    const box = gd.getBoundingClientRect();
    const [l, t, w, h] = frame(gd);
    const [mx, my] = [event.clientX - box.left - l, event.clientY - box.top - t];
    const [xs, ys] = of(id).map((axis, k) => places(axis, logs(gd)[k]));
    const [[xl, xh], [yl, yh]] = [gd.layout.xaxis.range, gd.layout.yaxis.range];
    let [best, found] = [reach * reach, -1];
    for (let i = 0; i < page.count; i++) {
      if (!page.mask[i]) continue;
      const dx = ((xs[i] - xl) / (xh - xl)) * w - mx;
      const dy = ((yh - ys[i]) / (yh - yl)) * h - my;
      const far = dx * dx + dy * dy;
      if (far < best) [best, found] = [far, i];
    }
    return found;
  }

  const inside = (gd, event) => {
    const box = gd.getBoundingClientRect();
    const [l, t, w, h] = frame(gd);
    const [x, y] = [event.clientX - box.left - l, event.clientY - box.top - t];
    return x >= 0 && y >= 0 && x <= w && y <= h;
  };

  function attach(id) {
    const gd = graph(id);
    if (!gd || gd.attached || !gd.on) return;
    gd.attached = true;
    const host = gd.closest(".cloud");
    gd.on("plotly_afterplot", () => cloud(id));
    gd.on("plotly_relayout", () => cloud(id));
    host.tabIndex = 0;
    host.setAttribute("role", "group");
    host.setAttribute("aria-label", "schedules; arrow keys go from one to the next, Enter puts it on the shortlist");
    let begun = null;
    const band = element("div");
    band.className = "band";
    host.append(band);
    host.addEventListener("pointerdown", (event) => {
      if (event.button || gd.layout.dragmode !== false || !inside(gd, event) || !page.values) return;
      begun = { x: event.clientX, y: event.clientY, moved: false };
      host.setPointerCapture(event.pointerId);
      event.preventDefault();
      host.focus({ preventScroll: true });
    });
    host.addEventListener("pointermove", (event) => {
      if (!begun) return hover(id, event);
      hide();
      if (Math.hypot(event.clientX - begun.x, event.clientY - begun.y) > 5) begun.moved = true;
      if (begun.moved) soon(() => begun && brush(id, gd, band, begun, event));
    });
    const end = (event) => {
      if (!begun) return;
      const { moved } = begun;
      if (moved) brush(id, gd, band, begun, event);
      begun = null;
      band.style.display = "none";
      if (moved) return say({ do: "limit", limits: page.live });
      const row = under(id, event);
      if (row >= 0) say({ do: "choose", row });
    };
    host.addEventListener("pointerup", end);
    host.addEventListener("pointercancel", () => {
      begun = null;
      page.live = null;
      band.style.display = "none";
      refresh();
    });
    host.addEventListener("pointerleave", hide);
    host.addEventListener("dblclick", () => {
      if (gd.layout.dragmode === false) say({ do: "limit", limits: Object.fromEntries(of(id).map((axis) => [axis.name, [null, null]])) });
    });
    host.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (event.key === "Enter") say({ do: "pick", row: page.scene.row });
      if (!step) return;
      event.preventDefault();
      const across = event.key === "ArrowRight" || event.key === "ArrowLeft";
      const row = next(page.values[of(id)[across ? 0 : 1].column], page.scene.row, step);
      if (row >= 0) {
        page.scene.row = row;
        say({ do: "choose", row });
      }
    });
    cloud(id);
  }

  function next(values, from, step) {
    let found = -1;
    const after = (i, j) => (step * (values[i] - values[j]) || step * (i - j)) > 0;
    for (let i = 0; i < page.count; i++) {
      if (page.mask[i] && after(i, from) && (found < 0 || after(found, i))) found = i;
    }
    return found;
  }

  function brush(id, gd, band, begun, event) {
    const box = gd.getBoundingClientRect();
    const [l, t, w, h] = frame(gd);
    const clamp = (v, most) => Math.min(Math.max(v, 0), most);
    const xs = [begun.x, event.clientX].map((v) => clamp(v - box.left - l, w)).sort((a, b) => a - b);
    const ys = [begun.y, event.clientY].map((v) => clamp(v - box.top - t, h)).sort((a, b) => a - b);
    Object.assign(band.style, { display: "block", left: `${l + xs[0]}px`, top: `${t + ys[0]}px`, width: `${xs[1] - xs[0]}px`, height: `${ys[1] - ys[0]}px` });
    const log = logs(gd);
    const across = gd.layout.xaxis.range.map(Number);
    const up = gd.layout.yaxis.range.map(Number);
    const value = (place, k) => (log[k] ? 10 ** place : place);
    const ends = [
      xs.map((x) => across[0] + (x / w) * (across[1] - across[0])),
      [ys[1], ys[0]].map((y) => up[1] - (y / h) * (up[1] - up[0])),
    ];
    const at = [[xs[0] <= 0, xs[1] >= w], [ys[1] >= h, ys[0] <= 0]];
    page.live = {};
    of(id).forEach((axis, k) => {
      const range = [across, up][k].map((place) => value(place, k));
      const rounded = ends[k].map((place, e) => (at[k][e] ? null : natural(round(value(place, k), range[1] - range[0]), axis)));
      if (rounded[0] !== null && rounded[0] <= 0) rounded[0] = null;
      page.live[axis.name] = rounded;
    });
    refresh();
  }

  // --- parallel coordinates ----------------------------------------------------------------------------------------

  const PAD = { x: 46, top: 46, bottom: 20 };

  function parallel() {
    const host = $("parallel");
    if (!host || !host.clientWidth || !page.values) return;
    const [width, height] = [host.clientWidth, host.clientHeight];
    const axes = page.scene.axes;
    const [w, h] = [width - 2 * PAD.x, height - PAD.top - PAD.bottom];
    const [canvas, ratio] = canvasFor(host, PAD.x, PAD.top, w, h);
    const gap = axes.length > 1 ? canvas.width / (axes.length - 1) : canvas.width;
    const levels = axes.map((axis) => levelsOf(axis));
    const size = canvas.width * canvas.height;
    const key = JSON.stringify([canvas.width, canvas.height, axes.map((a) => [a.low, a.high]), page.count]);
    if (host.key !== key) {
      host.key = key;
      host.all = new Uint32Array(size);
      lines(levels, gap, canvas.width, canvas.height, host.all, null, page.count);
    }
    const some = page.left < page.count;
    let left = null;
    if (!some) left = host.all;
    else if (page.left > FEW) lines(levels, gap, canvas.width, canvas.height, (left = new Uint32Array(size)), page.mask, page.left);
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    // counted column by column, which is how lines run
    colours(some ? turned(host.all, canvas) : null, left && turned(left, canvas), image, page.palette);
    context.putImageData(image, 0, 0);
    if (!left) strokes(context, levels, gap, canvas.height, ratio);
    overlay(host, width, height, w, h, axes);
  }

  function turned(counts, canvas) {
    const [w, h] = [canvas.width, canvas.height];
    const out = new Uint32Array(counts.length);
    for (let x = 0; x < w; x++) for (let y = 0, base = x * h; y < h; y++) out[y * w + x] = counts[base + y];
    return out;
  }

  /** Where each schedule meets an axis, from 0 at its best end to 1 at its worst. */
  function levelsOf(axis) {
    const key = `level ${axis.column}`;
    const known = page.places.get(key);
    if (known?.low === axis.low && known.high === axis.high) return known.levels;
    const span = axis.high - axis.low;
    const levels = places(axis, axis.log).map((place) => Math.min(Math.max((axis.high - place) / span, 0), 1));
    page.places.set(key, { low: axis.low, high: axis.high, levels });
    return levels;
  }

  function lines(levels, gap, width, height, counts, mask, many) {
    const stride = Math.max(1, Math.floor(many / MOST_LINES));
    const tall = height - 1;
    for (let j = 0; j + 1 < levels.length; j++) {
      const [from, to] = [levels[j], levels[j + 1]];
      const first = Math.round(j * gap);
      const last = Math.min(width, Math.round((j + 1) * gap));
      const run = last - first;
      let seen = 0;
      for (let i = 0; i < page.count; i++) {
        if (mask && !mask[i]) continue;
        if (stride > 1 && seen++ % stride) continue;
        let y = from[i] * tall + 0.5;
        const rise = ((to[i] - from[i]) * tall) / run;
        for (let at = first * height, stop = last * height; at < stop; at += height) {
          counts[at + (y | 0)]++;
          y += rise;
        }
      }
    }
  }

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

  function node(parent, name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    parent.append(made);
    return made;
  }

  const placeOf = (axis, value) => (axis.log ? Math.log10(value * axis.factor) : value * axis.factor);
  const levelOf = (axis, value) => Math.min(Math.max((axis.high - placeOf(axis, value)) / (axis.high - axis.low), -0.02), 1.02);
  const valueAt = (axis, level) => {
    const place = axis.high - level * (axis.high - axis.low);
    return axis.log ? 10 ** place : place;
  };

  function overlay(host, width, height, w, h, axes) {
    let svg = host.querySelector(":scope > svg");
    if (!svg) {
      svg = document.createElementNS(SVG, "svg");
      svg.setAttribute("role", "group");
      svg.setAttribute("aria-label", "parallel coordinates: one line a schedule, better is up");
      host.append(svg);
      brushing(host, svg);
    }
    const focused = document.activeElement?.dataset?.handle;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const x = (j) => PAD.x + (axes.length > 1 ? (j * w) / (axes.length - 1) : 0);
    const y = (level) => PAD.top + level * h;
    const path = (values) => axes.map((axis, j) => `${x(j)},${y(levelOf(axis, values[axis.column]))}`).join(" ");
    const strong = node(svg, "g", { class: "strong" });
    page.scene.marks.forEach((mark, k) => {
      const { colour } = page.scene.legend[k];
      const known = axes.every((axis) => mark.values[axis.column] !== null);
      if (!known) return;
      node(strong, "polyline", { points: path(mark.values), class: `mark ${mark.name.startsWith("ideal") || mark.name.startsWith("best") ? "ideal" : ""}`, stroke: colour });
      axes.forEach((axis, j) => shape(strong, page.scene.legend[k], x(j), y(levelOf(axis, mark.values[axis.column])), 10));
    });
    page.scene.picks.forEach((row, k) => {
      const last = axes.length - 1;
      node(strong, "polyline", { points: path(page.values.map((v) => v[row])), class: "pick" });
      node(strong, "text", { x: x(last) + 20, y: y(levelOf(axes[last], page.values[axes[last].column][row])) + 4, class: "picked" }, page.scene.letters[k]);
    });
    const own = path(page.values.map((v) => v[page.scene.row]));
    node(strong, "polyline", { points: own, class: "halo" });
    node(strong, "polyline", { points: own, class: "chosen" });
    axes.forEach((axis, j) => node(strong, "circle", { cx: x(j), cy: y(levelOf(axis, page.values[axis.column][page.scene.row])), r: 5, class: "ring" }));
    const near = page.scene.near;
    const named = limits();
    const crowded = w / axes.length < 60; // then names are in two rows, and units stand in the table
    axes.forEach((axis, j) => {
      const group = node(svg, "g", { class: "axis", "data-axis": axis.name });
      node(group, "line", { x1: x(j), x2: x(j), y1: y(0), y2: y(1), class: "rule" });
      node(group, "text", { x: x(j), y: crowded && j % 2 ? 29 : 14, class: "name" }, axis.name);
      if (!crowded) node(group, "text", { x: x(j), y: 29, class: "unit" }, `${axis.name === "UTIL" ? "" : axis.name === "AWRT" ? "all, " : fitting(axis.label, Math.min(w / axes.length, 2 * PAD.x) - 18) + ", "}${axis.unit}`);
      for (const [place, words] of axis.ticks) {
        const at = y((axis.high - place) / (axis.high - axis.low));
        node(group, "line", { x1: x(j) - 4, x2: x(j), y1: at, y2: at, class: "rule" });
        node(group, "text", { x: x(j) - 7, y: at + 4, class: "tick" }, words);
      }
      node(group, "rect", { x: x(j) - 16, y: PAD.top - 8, width: 32, height: h + 16, class: "reach", "data-axis": axis.name });
      if (near[axis.name] !== undefined) {
        const at = y(levelOf(axis, near[axis.name]));
        node(group, "path", { d: `M${x(j) - 11},${at - 6}L${x(j)},${at}L${x(j) - 11},${at + 6}Z`, class: "aspired" });
      }
      const ends = named[axis.name];
      const worst = axis.maximise ? 0 : 1;
      const level = [0, 1].map((e) => (ends && ends[e] ? levelOf(axis, ends[e]) : e === worst ? 1.02 : -0.02));
      const [top, bottom] = [Math.min(...level), Math.max(...level)];
      if (ends && (ends[0] || ends[1])) node(group, "rect", { x: x(j) - 6, y: y(top), width: 12, height: Math.max(y(bottom) - y(top), 2), class: "brush", "data-axis": axis.name });
      [0, 1].forEach((e) => {
        const at = y(Math.min(Math.max(level[e], -0.02), 1.02));
        const said = ends && ends[e] ? `${(ends[e] * axis.factor).toPrecision(4)} ${axis.unit}` : "no limit";
        const handle = node(group, "rect", {
          x: x(j) - 9, y: at - 3.5, width: 18, height: 7, rx: 3.5, class: ends && ends[e] ? "handle set" : "handle", tabindex: 0, role: "slider",
          "data-handle": `${axis.name} ${e}`, "aria-label": `${axis.name} ${e ? "at most" : "at least"}`, "aria-valuetext": said,
          "aria-valuenow": ends && ends[e] ? ends[e] * axis.factor : valueAt(axis, level[e]), "aria-orientation": "vertical",
        });
        if (focused === `${axis.name} ${e}`) handle.focus({ preventScroll: true });
      });
    });
  }

  function brushing(host, svg) {
    let begun = null;
    const level = (event) => {
      const box = svg.getBoundingClientRect();
      return Math.min(Math.max((event.clientY - box.top - PAD.top) / (box.height - PAD.top - PAD.bottom), 0), 1);
    };
    const set = (axis, from, to) => {
      const span = Math.abs(valueAt(axis, 0) - valueAt(axis, 1));
      const value = (at) => (at <= 0.001 || at >= 0.999 ? null : natural(round(valueAt(axis, at), span), axis));
      const [top, bottom] = [Math.min(from, to), Math.max(from, to)];
      const [high, low] = axis.maximise ? [value(top), value(bottom)] : [value(bottom), value(top)];
      page.live = { [axis.name]: [low, high] };
      refresh();
    };
    const current = (axis) => {
      const ends = limits()[axis.name] ?? [0, null];
      const all = [0, 1].map((e) => (ends[e] ? levelOf(axis, ends[e]) : axis.maximise === (e === 1) ? 0 : 1));
      return all.map((v) => Math.min(Math.max(v, 0), 1));
    };
    svg.addEventListener("pointerdown", (event) => {
      const axis = page.values && axisOf(event.target.dataset?.axis ?? event.target.dataset?.handle?.split(" ")[0]);
      if (!axis || event.button) return;
      const at = level(event);
      const [low, high] = current(axis);
      begun = { axis, at, moved: false };
      if (event.target.dataset.handle) begun.fixed = event.target.dataset.handle.endsWith("1") ? low : high;
      else if (event.target.classList.contains("brush")) begun.whole = [low, high];
      else begun.fixed = at;
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
      svg.querySelector(`[data-handle="${axis.name} ${axis.maximise ? 0 : 1}"]`)?.focus({ preventScroll: true });
    });
    svg.addEventListener("pointermove", (event) => {
      if (!begun) return;
      const at = level(event);
      if (Math.abs(at - begun.at) > 0.01) begun.moved = true;
      if (!begun.moved) return;
      soon(() => {
        if (!begun) return;
        if (begun.whole) {
          const shift = Math.min(Math.max(at - begun.at, -Math.min(...begun.whole)), 1 - Math.max(...begun.whole));
          set(begun.axis, begun.whole[0] + shift, begun.whole[1] + shift);
        } else set(begun.axis, begun.fixed, at);
      });
    });
    svg.addEventListener("pointerup", (event) => {
      if (begun?.moved) {
        if (!begun.whole) set(begun.axis, begun.fixed, level(event));
        say({ do: "limit", limits: page.live });
      }
      begun = null;
    });
    svg.addEventListener("pointercancel", () => {
      begun = null;
      page.live = null;
      refresh();
    });
    svg.addEventListener("dblclick", (event) => {
      const name = event.target.dataset?.axis ?? event.target.dataset?.handle?.split(" ")[0];
      if (name) say({ do: "limit", limits: { [name]: [null, null] } });
    });
    let rest = null;
    svg.addEventListener("keydown", (event) => {
      const handle = event.target.dataset?.handle;
      if (!handle) return;
      const [name, e] = handle.split(" ");
      const axis = axisOf(name);
      const step = { ArrowUp: -0.01, ArrowDown: 0.01, PageUp: -0.1, PageDown: 0.1, Home: -1, End: 1 }[event.key];
      if (!step && event.key !== "Delete") return;
      event.preventDefault();
      const [low, high] = current(axis);
      if (event.key === "Delete") page.live = { [name]: [null, null] };
      else if (e === "1") set(axis, low, Math.min(Math.max(high + step, 0), 1));
      else set(axis, Math.min(Math.max(low + step, 0), 1), high);
      clearTimeout(rest);
      rest = setTimeout(() => page.live && say({ do: "limit", limits: page.live }), 350);
      refresh();
    });
  }

  // --- small multiples ---------------------------------------------------------------------------------------------

  function pairs() {
    const host = $("pairs");
    if (!host || !host.clientWidth || !page.values) return;
    const axes = page.scene.axes;
    const k = axes.length;
    const [width, height] = [host.clientWidth, host.clientHeight];
    const [canvas, ratio] = canvasFor(host, 0, 0, width, height);
    const [cw, ch] = [width / k, height / k];
    const context = canvas.getContext("2d");
    const all = new Uint32Array(canvas.width * canvas.height);
    const some = page.left < page.count;
    const left = some && page.left > FEW ? new Uint32Array(all.length) : null;
    const ranges = axes.map((axis) => [Math.min(axis.low, axis.high), Math.max(axis.low, axis.high)]);
    const box = (i, j) => [j * cw + 4, i * ch + 4, cw - 8, ch - 8].map((v) => Math.round(v * ratio));
    const each = (visit) => axes.forEach((up, i) => axes.slice(0, i).forEach((across, j) => visit(up, i, across, j)));
    each((up, i, across, j) => {
      const [xs, ys] = [places(across, across.log), places(up, up.log)];
      const pair = [ranges[j], ranges[i]];
      points(xs, ys, box(i, j), pair, ratio >= 2 ? 2 : 1, all, canvas.width, null);
      if (left) points(xs, ys, box(i, j), pair, ratio >= 2 ? 2 : 1, left, canvas.width, page.mask);
    });
    const image = context.createImageData(canvas.width, canvas.height);
    colours(some ? all : null, some ? left : all, image, page.palette);
    context.putImageData(image, 0, 0);
    if (some && !left) each((up, i, across, j) => dots(context, places(across, across.log), places(up, up.log), box(i, j), [ranges[j], ranges[i]], ratio, page.palette, 1.3));
    let svg = host.querySelector(":scope > svg");
    if (!svg) {
      svg = document.createElementNS(SVG, "svg");
      host.append(svg);
      svg.addEventListener("click", (event) => show(event.target.dataset?.pair));
      svg.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && show(event.target.dataset?.pair));
    }
    const show = (pair) => {
      if (!pair) return;
      const [across, up] = pair.split(" ");
      say({ do: "look", across, up, log: true });
      choose("view", "overview");
    };
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    axes.forEach((axis, i) => {
      const [low, high] = ranges[i].map((place) => (axis.log ? 10 ** place : place));
      const [x, y] = [(i + 0.5) * cw, (i + 0.5) * ch];
      const wordy = ch >= 50 && cw >= 80;
      node(svg, "text", { x: Math.min(x, width - 26), y: wordy ? y - 8 : y + 4, class: wordy ? "name" : "unit" }, axis.name);
      if (!wordy) return;
      node(svg, "text", { x, y: y + 8, class: "unit" }, axis.name === "UTIL" ? "utilisation" : axis.name === "AWRT" ? "all jobs" : fitting(axis.label, cw));
      node(svg, "text", { x, y: y + 23, class: "unit" }, `${brief(low)} – ${brief(high)} ${axis.unit}`);
    });
    each((up, i, across, j) => {
      const cell = node(svg, "rect", { x: j * cw + 2, y: i * ch + 2, width: cw - 4, height: ch - 4, class: "cell", "data-pair": `${across.name} ${up.name}`, tabindex: 0, role: "button", "aria-label": `${up.name} against ${across.name}: show large` });
      node(cell, "title", {}, `${up.name} (up) against ${across.name} (right)`);
      const at = (values) => {
        const [px, py] = [[across, ranges[j]], [up, ranges[i]]].map(([axis, [low, high]]) => (placeOf(axis, values[axis.column]) - low) / (high - low));
        return px < -0.01 || px > 1.01 || py < -0.01 || py > 1.01 ? null : [j * cw + 4 + px * (cw - 8), (i + 1) * ch - 4 - py * (ch - 8)];
      };
      page.scene.marks.forEach((mark, n) => {
        const place = mark.values[across.column] !== null && mark.values[up.column] !== null && at(mark.values);
        if (place) shape(svg, page.scene.legend[n], place[0], place[1], 9);
      });
      for (const row of page.scene.picks) {
        const place = at(page.values.map((v) => v[row]));
        if (place) node(svg, "circle", { cx: place[0], cy: place[1], r: 3.5, class: "pick" });
      }
      const place = at(page.values.map((v) => v[page.scene.row]));
      if (place) node(svg, "circle", { cx: place[0], cy: place[1], r: 5.5, class: "ring" });
    });
  }

  // --- legend, hover -----------------------------------------------------------------------------------------------

  const SHAPES = {
    diamond: "M8 1 15 8 8 15 1 8Z", square: "M2 2H14V14H2Z", "triangle-up": "M8 1 15 14H1Z", cross: "M6 1H10V6H15V10H10V15H6V10H1V6H6Z",
    star: "M8 0 10 6H16L11 9.6 13 16 8 12 3 16 5 9.6 0 6H6Z", x: "M3 0 8 5 13 0 16 3 11 8 16 13 13 16 8 11 3 16 0 13 5 8 0 3Z", hexagram: "M8 0 10.3 4H15L12.7 8 15 12H10.3L8 16 5.7 12H1L3.3 8 1 4H5.7Z",
  };

  /** Draw a mark as plotly does; it is told from others without any colour. */
  function shape(parent, { colour, symbol }, x, y, size) {
    const hollow = symbol.endsWith("-open");
    const scale = size / 16;
    const look = { fill: hollow ? "none" : colour, class: hollow ? "shape hollow" : "shape" };
    if (hollow) look.stroke = colour;
    node(parent, "path", { d: SHAPES[symbol.replace("-open", "")] ?? SHAPES.square, transform: `translate(${x - size / 2} ${y - size / 2}) scale(${scale})`, ...look });
  }

  /** Three digits, never an exponent that nobody reads. */
  const brief = (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

  /** As much of a name as has room. */
  const fitting = (words, room) => (words.length * 6 <= room ? words : `${words.slice(0, Math.max(1, Math.floor(room / 6) - 1))}…`);

  function legend() {
    const chips = page.scene.legend.map(({ name, colour, symbol, title }) => {
      const chip = element("span");
      chip.className = "chip";
      chip.title = title;
      const svg = node(chip, "svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
      shape(svg, { colour, symbol }, 8, 8, 15);
      chip.append(name);
      return chip;
    });
    const chosen = element("span", `schedule ${page.scene.row}`);
    chosen.className = "chip ring";
    $("legend").replaceChildren(chosen, ...chips);
  }

  const tip = () => $("tip") ?? document.body.appendChild(Object.assign(element("div"), { id: "tip" }));
  const hide = () => (tip().style.display = "none");

  function hover(id, event) {
    if (!page.values || !drawable(graph(id)) || !inside(graph(id), event)) return hide();
    soon(() => {
      const row = under(id, event);
      if (row < 0) return hide();
      const box = tip();
      box.replaceChildren(element("b", `schedule ${row}`));
      for (const axis of page.scene.axes) {
        const line = element("div");
        line.append(element("span", axis.name), element("span", `${(page.values[axis.column][row] * axis.factor).toFixed(2)} ${axis.unit}`));
        box.append(line);
      }
      box.style.display = "block";
      box.style.left = `${Math.min(event.clientX + 16, window.innerWidth - box.offsetWidth - 8)}px`;
      box.style.top = `${Math.min(event.clientY + 16, window.innerHeight - box.offsetHeight - 8)}px`;
    });
  }

  // --- when what is drawn -------------------------------------------------------------------------------------------

  /** Say what went wrong, where it is seen on whatever tab. */
  function complain(words) {
    $("message").textContent = words;
  }

  let asked = null;
  function soon(work) {
    if (!asked) requestAnimationFrame(() => {
      const last = asked;
      asked = null;
      last();
    });
    asked = work;
  }

  function refresh() {
    if (!page.scene || !page.values) return;
    page.palette ??= palette();
    filter();
    if ($("page").dataset.view === "pairs") pairs();
    else {
      parallel();
      ["free", "util"].forEach((id) => {
        attach(id);
        cloud(id);
      });
    }
    document.documentElement.dataset.drawn = ++painted;
  }
  let painted = 0;

  const CHOICES = ["tab", "mode", "view"];
  function selected() {
    for (const key of CHOICES) {
      for (const one of document.querySelectorAll(`.choice[data-${key}]`)) one.setAttribute("aria-pressed", one.dataset[key] === $("page").dataset[key]);
    }
  }

  function choose(key, value) {
    $("page").dataset[key] = value;
    complain("");
    selected();
    refresh();
    window.dispatchEvent(new Event("resize")); // plotly measures itself again
  }

  // --- fields, buttons, keys ---------------------------------------------------------------------------------------

  /** Make the input of a field; React keeps the span around it and knows nothing of this. */
  function field(span) {
    let input = span.firstElementChild;
    if (!input) {
      input = element(span.dataset.field === "words" ? "textarea" : "input");
      if (span.dataset.field === "words") input.rows = 2;
      else input.type = span.dataset.field === "check" ? "checkbox" : "text";
      if (span.dataset.field === "number") input.inputMode = "decimal";
      input.autocomplete = "off";
      input.spellcheck = false;
      span.append(input);
      if (input.type === "checkbox") input.addEventListener("change", () => say({ ...JSON.parse(span.dataset.do), [span.dataset.key]: input.checked }));
      else {
        const commit = () => input.value !== span.known && said(span, input);
        input.addEventListener("blur", commit);
        input.addEventListener("keydown", (event) => {
          if (event.key === "Enter") {
            event.preventDefault();
            commit();
          }
          if (event.key === "Escape") input.value = span.known;
        });
      }
    }
    input.setAttribute("aria-label", span.dataset.label);
    input.placeholder = span.dataset.hint ?? "";
    if (input.type !== "checkbox" && span.dataset.value !== span.known) {
      span.known = span.dataset.value;
      input.value = span.known;
    }
  }

  function said(span, input) {
    const action = JSON.parse(span.dataset.do);
    const before = span.known;
    span.known = input.value;
    if (span.dataset.field === "text" || span.dataset.field === "words") return say({ ...action, [span.dataset.key]: input.value });
    const text = input.value.trim().replace(",", ".");
    const number = text === "" ? null : Number(text);
    if (number !== null && !Number.isFinite(number)) {
      complain(`“${input.value}” is not a number`);
      input.value = span.known = before;
      return;
    }
    const value = number === null ? null : Number((number * Number(span.dataset.factor)).toPrecision(12));
    if (action.do === "nothing") return;
    if (action.do === "limit") {
      const ends = [...(page.scene.limits[action.name] ?? [null, null])].map((end) => end || null);
      ends[span.dataset.key === "high" ? 1 : 0] = value;
      return say({ do: "limit", limits: { [action.name]: ends } });
    }
    say({ ...action, [span.dataset.key]: value });
  }

  function classes() {
    const given = {};
    for (const select of document.querySelectorAll("select.class")) {
      const level = document.querySelector(`.field[data-level][data-name="${select.dataset.name}"]`);
      const text = level.querySelector("input").value.trim().replace(",", ".");
      const number = text === "" ? null : Number(text) * Number(level.dataset.factor);
      given[select.dataset.name] = [select.value, / to$/.test(select.value) && Number.isFinite(number) ? number : null];
    }
    say({ do: "classify", classes: given });
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    for (const key of CHOICES) if (button.classList.contains("choice") && button.dataset[key]) return choose(key, button.dataset[key]);
    if (button.dataset.do) return say(JSON.parse(button.dataset.do));
    if (button.dataset.export) return save(...button.dataset.export.split(" "));
    if (button.id === "classify") return classes();
    if (button.id === "theme") return theme(true);
    if (button.id === "open") return open();
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("select.axis")) say({ do: "look", [event.target.id]: event.target.value });
  });

  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    say({ do: event.shiftKey ? "redo" : "undo" });
  });

  function open() {
    const input = Object.assign(element("input"), { type: "file", accept: ".json,application/json" });
    input.addEventListener("change", async () => {
      const file = input.files[0];
      try {
        if (file.size > MOST_OPENED) throw new Error(`${file.name} is larger than any page that was saved`);
        say({ do: "open", text: await file.text() });
      } catch (error) {
        complain(error.message);
      }
    });
    input.click();
  }

  const THEMES = ["", "light", "dark"];
  function theme(turn) {
    let now = localStorage.getItem("paretosched theme") ?? "";
    if (turn) now = THEMES[(THEMES.indexOf(now) + 1) % 3];
    localStorage.setItem("paretosched theme", now);
    document.documentElement.dataset.theme = now;
    if ($("theme")) $("theme").textContent = { "": "◐ auto", light: "○ light", dark: "● dark" }[now] ?? "◐ auto";
    page.palette = null;
    refresh();
  }

  // --- figures as files ---------------------------------------------------------------------------------------------

  async function save(key, kind) {
    const url = key === "parallel" || key === "pairs" ? await drawn($(key), kind) : await figure(key, kind);
    Object.assign(element("a"), { href: url, download: `${key}.${kind}` }).click();
  }

  async function figure(key, kind) {
    const gd = graph(key);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const canvas = gd.closest(".cloud")?.querySelector("canvas");
    const line = { gridcolor: colour("--line"), linecolor: colour("--line"), tickfont: { color: colour("--quiet") } };
    const layout = { ...gd.layout, width: gd.clientWidth, height: gd.clientHeight, paper_bgcolor: colour("--card"), plot_bgcolor: "rgba(0,0,0,0)", font: { ...gd.layout.font, color: colour("--ink") } };
    for (const axis of ["xaxis", "yaxis"]) layout[axis] = { ...gd.layout[axis], ...line, title: { ...gd.layout[axis].title, font: { color: colour("--quiet") } } };
    layout.annotations = (gd.layout.annotations ?? []).map((note) => ({ ...note, bgcolor: colour("--card"), font: { color: colour("--ink") } }));
    if (canvas) layout.images = [{ source: canvas.toDataURL(), xref: "paper", yref: "paper", x: 0, y: 1, sizex: 1, sizey: 1, sizing: "stretch", layer: "below" }];
    return window.Plotly.toImage({ data: gd.data, layout }, { format: kind, scale: 2, width: layout.width, height: layout.height });
  }

  async function drawn(host, kind) {
    const svg = host.querySelector("svg");
    const canvas = host.querySelector("canvas");
    const copy = svg.cloneNode(true);
    const [width, above] = [host.clientWidth, host.clientHeight];
    const height = above + 26; // names of the marks stand below
    const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight", "text-anchor", "display", "paint-order", "stroke-linejoin"];
    const from = svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((one, k) => {
      const style = getComputedStyle(from[k]);
      for (const key of kept) one.style.setProperty(key, style.getPropertyValue(key));
    });
    copy.querySelectorAll(".handle:not(.set), .reach, title").forEach((one) => one.remove());
    Object.entries({ xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` }).forEach(([key, value]) => copy.setAttribute(key, value));
    const place = { x: canvas.offsetLeft, y: canvas.offsetTop, width: canvas.offsetWidth, height: canvas.offsetHeight };
    const image = node(copy, "image", { ...place, href: canvas.toDataURL() });
    const style = getComputedStyle(document.documentElement);
    const paper = node(copy, "rect", { width, height, fill: style.getPropertyValue("--card").trim() });
    let right = 12;
    const write = (words, mark) => {
      mark(right + 6, above + 12);
      node(copy, "text", { x: right + 17, y: above + 16, fill: style.getPropertyValue("--ink").trim(), "font-size": 12, "font-family": getComputedStyle(document.body).fontFamily }, words);
      right += 36 + 7.2 * words.length;
    };
    write(`schedule ${page.scene.row}`, (cx, cy) => node(copy, "circle", { cx, cy, r: 5, fill: "none", stroke: style.getPropertyValue("--chosen").trim(), "stroke-width": 2.5 }));
    for (const one of page.scene.legend) write(one.name, (x, y) => shape(copy, one, x, y, 11));
    copy.prepend(paper, image);
    const url = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
    if (kind === "svg") return url;
    const picture = new Image();
    picture.src = url;
    await picture.decode();
    const sheet = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    sheet.getContext("2d").drawImage(picture, 0, 0, 2 * width, 2 * height);
    return sheet.toDataURL("image/png");
  }

  // --- beginning ----------------------------------------------------------------------------------------------------

  const upgrade = (root) => {
    root.querySelectorAll?.(".field").forEach(field);
    if (root.matches?.(".field")) field(root);
    root.querySelectorAll?.("select.class").forEach((select) => {
      if (select.known !== select.dataset.value) select.value = select.known = select.dataset.value;
    });
  };
  new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "attributes") upgrade(change.target.parentElement ?? change.target);
      else change.addedNodes.forEach((added) => upgrade(added));
    }
    if ($("theme") && !$("theme").dataset.ready) {
      $("theme").dataset.ready = "1";
      theme(false);
      selected();
      new ResizeObserver(() => soon(refresh)).observe($("parallel"));
    }
    for (const id of ["free", "util"]) if (page.values && graph(id) && !graph(id).attached) attach(id);
  }).observe(document.documentElement, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-value"] });
  document.documentElement.dataset.theme = localStorage.getItem("paretosched theme") ?? "";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    page.palette = null;
    refresh();
  });
})();
