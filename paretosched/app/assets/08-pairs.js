// Small charts of every two objectives: a click shows one large, a drag keeps what is inside.
(() => {
  "use strict";
  const {
    $,
    FEW,
    SVG,
    axisOf,
    brief,
    canvasFor,
    choose,
    clamp,
    colours,
    dots,
    em,
    fitting,
    natural,
    node,
    onDraw,
    page,
    paintOnce,
    placeOf,
    places,
    points,
    refresh,
    round,
    say,
    settle,
    shape,
    shownAxes,
    soon,
    valuesOf,
  } = window.paretosched;
  /** Draw every objective against every other one, with what remains in front. */
  function pairs() {
    const host = $("pairs");
    if (!host || !host.clientWidth || !page.values) return;
    const axes = shownAxes();
    const [width, height] = [host.clientWidth, host.clientHeight];
    const cells = {
      width,
      height,
      axes,
      across: width / axes.length,
      down: height / axes.length,
      ranges: axes.map((axis) => [Math.min(axis.low, axis.high), Math.max(axis.low, axis.high)]),
      each: (visit) => axes.forEach((up, i) => axes.slice(0, i).forEach((across, j) => visit(up, i, across, j))),
    };
    paintClouds(host, cells);
    const svg = drawing(host);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    nameAxes(svg, cells);
    cells.each((up, i, across, j) => drawMarks(svg, cells, up, i, across, j));
    drawBand(svg);
  }

  /** Paint all schedules in every cell, and over them what remains. */
  function paintClouds(host, { width, height, across: cw, down: ch, axes, ranges, each }) {
    const [canvas, ratio] = canvasFor(host, 0, 0, width, height);
    const shown = axes.map((axis, k) => [axis.column, axis.log, ranges[k]]);
    const key = JSON.stringify([canvas.width, canvas.height, ratio, shown, page.front]);
    paintOnce(canvas, key, () => allClouds(canvas, ratio, cw, ch, ranges, each));
  }

  /** Paint the clouds of all cells. */
  function allClouds(canvas, ratio, cw, ch, ranges, each) {
    const context = canvas.getContext("2d");
    const all = new Uint32Array(canvas.width * canvas.height);
    const some = page.left < page.count;
    const left = some && page.left > FEW ? new Uint32Array(all.length) : null;
    const box = (i, j) => [j * cw + 4, i * ch + 4, cw - 8, ch - 8].map((v) => Math.round(v * ratio));
    const size = ratio >= 2 ? 2 : 1;
    each((up, i, across, j) => {
      const [xs, ys] = [places(across, across.log), places(up, up.log)];
      const pair = [ranges[j], ranges[i]];
      points(xs, ys, box(i, j), pair, size, all, canvas.width, null);
      if (left) points(xs, ys, box(i, j), pair, size, left, canvas.width, page.mask);
    });
    const image = context.createImageData(canvas.width, canvas.height);
    colours(some ? all : null, some ? left : all, image, page.palette);
    context.putImageData(image, 0, 0);
    if (!some || left) return;
    each((up, i, across, j) => {
      const [xs, ys] = [places(across, across.log), places(up, up.log)];
      dots(context, xs, ys, box(i, j), [ranges[j], ranges[i]], ratio, page.palette, 1.3);
    });
  }

  /** Return the SVG over the canvas; a click or Enter shows a pair large. */
  function drawing(host) {
    const present = host.querySelector(":scope > svg");
    if (present) return present;
    const svg = document.createElementNS(SVG, "svg");
    const enlarge = (event) => {
      const pair = event.target.dataset?.pair;
      if (!pair || drag?.moved) return;
      const [across, up] = pair.split(" ");
      say({ do: "look", across, up, log: true });
      choose("view", "overview");
    };
    brushByPointer(svg);
    svg.addEventListener("click", enlarge);
    svg.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && enlarge(event));
    host.append(svg);
    return svg;
  }

  let drag = null; // the axes of the cell that the pointer went down in, its box, and both ends of the drag

  /** Set the limits of both objectives of a cell to the rectangle from the start of the drag to its end. */
  function brush() {
    const { axes, box, from, to } = drag;
    page.live = {};
    axes.forEach((axis, k) => {
      const ends = [from, to].map((at) => clamp((at[k] - box[k]) / box[k + 2], 0, 1)).sort((a, b) => a - b);
      const [low, high] = [Math.min(axis.low, axis.high), Math.max(axis.low, axis.high)];
      const value = (share) => (axis.log ? 10 ** (low + share * (high - low)) : low + share * (high - low));
      const shares = k ? [1 - ends[1], 1 - ends[0]] : ends; // places go down, values up
      page.live[axis.name] = shares.map((share, e) =>
        share === e ? null : Math.max(natural(round(value(share), value(1) - value(0)), axis), 0) || null,
      );
    });
    refresh();
  }

  /** Let the pointer brush a rectangle in a cell. */
  function brushByPointer(svg) {
    const place = (event) => {
      const box = svg.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    svg.addEventListener("pointerdown", (event) => {
      const { pair } = event.target.dataset ?? {};
      drag = null;
      if (!pair || event.button) return;
      settle();
      const box = ["x", "y", "width", "height"].map((key) => Number(event.target.getAttribute(key)));
      drag = { pair, axes: pair.split(" ").map(axisOf), box, from: place(event), to: place(event), moved: false };
    });
    svg.addEventListener("pointermove", (event) => {
      if (!drag || !event.buttons) return;
      drag.to = place(event);
      if (!drag.moved && Math.hypot(drag.to[0] - drag.from[0], drag.to[1] - drag.from[1]) < 5) return;
      if (!drag.moved) svg.setPointerCapture(event.pointerId);
      drag.moved = page.gesture = true;
      soon(() => page.gesture && brush());
    });
    svg.addEventListener("pointerup", () => {
      if (!drag?.moved) return;
      brush();
      page.gesture = false;
      say({ do: "limit", limits: page.live });
    });
    svg.addEventListener("pointercancel", () => {
      drag = null;
      page.gesture = false;
      page.live = null;
      refresh();
    });
  }

  /** Draw the rectangle that the pointer is brushing. */
  function drawBand(svg) {
    if (!drag?.moved || !page.gesture) return;
    const { from, to, box } = drag;
    const ends = [0, 1].map((k) => [from[k], to[k]].map((at) => clamp(at, box[k], box[k] + box[k + 2])));
    const [[x1, x2], [y1, y2]] = ends.map((pair) => pair.sort((a, b) => a - b));
    node(svg, "rect", { x: x1, y: y1, width: x2 - x1, height: y2 - y1, class: "brushed" });
  }

  /** Write names, meanings and ranges on the diagonal, as far as there is room. */
  function nameAxes(svg, { width, across: cw, down: ch, axes, ranges }) {
    axes.forEach((axis, i) => {
      const [low, high] = ranges[i].map((place) => (axis.log ? 10 ** place : place));
      const [x, y] = [(i + 0.5) * cw, (i + 0.5) * ch];
      const wordy = ch >= em(50) && cw >= em(80);
      node(
        svg,
        "text",
        { x: Math.min(x, width - 26), y: wordy ? y - em(8) : y + em(4), class: wordy ? "name" : "unit" },
        axis.name,
      );
      if (!wordy) return;
      const meaning = { UTIL: "utilisation", AWRT: "all jobs" }[axis.name] ?? fitting(axis.label, cw);
      node(svg, "text", { x, y: y + em(8), class: "unit" }, meaning);
      node(svg, "text", { x, y: y + em(23), class: "unit" }, `${brief(low)} – ${brief(high)} ${axis.unit}`);
    });
  }

  /** Draw the cell of a pair, and in it the marks, the shortlist and the chosen schedule. */
  function drawMarks(svg, { across: cw, down: ch, ranges }, up, i, across, j) {
    const cell = node(svg, "rect", {
      x: j * cw + 2,
      y: i * ch + 2,
      width: cw - 4,
      height: ch - 4,
      class: "cell",
      "data-pair": `${across.name} ${up.name}`,
      tabindex: 0,
      role: "button",
      "aria-label": `${up.name} against ${across.name}: show large`,
    });
    node(cell, "title", {}, `${up.name} (up) against ${across.name} (right)`);
    const part = (axis, [low, high], values) => (placeOf(axis, values[axis.column]) - low) / (high - low);
    const at = (values) => {
      const [px, py] = [part(across, ranges[j], values), part(up, ranges[i], values)];
      return px < -0.01 || px > 1.01 || py < -0.01 || py > 1.01
        ? null
        : [j * cw + 4 + px * (cw - 8), (i + 1) * ch - 4 - py * (ch - 8)];
    };
    page.scene.marks.forEach((mark, n) => {
      const seen = !page.hidden.has(mark.name);
      const place = seen && mark.values[across.column] !== null && mark.values[up.column] !== null && at(mark.values);
      if (place) shape(svg, page.scene.legend[n], place[0], place[1], 9);
    });
    page.scene.picks.forEach(({ look, values }) => {
      const place = at(values);
      if (place) node(svg, "circle", { cx: place[0], cy: place[1], r: 3.5, class: `dot-${look}` });
    });
    const place = at(valuesOf(page.scene.row));
    if (place) node(svg, "circle", { cx: place[0], cy: place[1], r: 5.5, class: "ring" });
  }

  onDraw(() => $("page").dataset.view === "pairs" && pairs());
})();
