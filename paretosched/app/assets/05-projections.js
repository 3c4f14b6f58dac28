// The two projections: plotly draws axes and marks, this file the schedules beneath them. It also answers to brushing,
// hovering and keys.
(() => {
  "use strict";
  const {
    $,
    FEW,
    axisOf,
    canvasFor,
    clamp,
    colours,
    dots,
    element,
    graph,
    natural,
    onDraw,
    page,
    paintOnce,
    places,
    points,
    refresh,
    round,
    say,
    settle,
    soon,
    spot,
  } = window.paretosched;
  const PROJECTIONS = ["free", "util"];

  const drawable = (gd) => gd?.layout?.xaxis?.range && gd.clientWidth > 0;

  /** Return the place of the plot in its figure: left, top, width, height. */
  function frame(gd) {
    const { l, r, t, b } = gd.layout.margin;
    return [l, t, gd.clientWidth - l - r, gd.clientHeight - t - b];
  }

  /** Return the axes of a projection: to the right, upwards. */
  function axesOf(id) {
    const names = id === "util" ? ["UTIL", "AWRT"] : [page.scene.across, page.scene.up];
    return names.map(axisOf);
  }

  const logs = (gd) => [gd.layout.xaxis, gd.layout.yaxis].map((axis) => axis.type === "log");

  /** Paint all schedules, and over them what remains. */
  function cloud(id) {
    const gd = graph(id);
    if (!page.values || !drawable(gd)) return;
    const axes = axesOf(id);
    const titles = [gd.layout.xaxis, gd.layout.yaxis].map((axis) => axis.title.text.split(" ")[0]);
    if (axes.some((axis, k) => axis?.name !== titles[k])) return; // the figure before it is still there
    const host = gd.closest(".cloud");
    const [x, y, w, h] = frame(gd);
    const [canvas, ratio] = canvasFor(host, x, y, w, h);
    const [xs, ys] = axes.map((axis, k) => places(axis, logs(gd)[k]));
    const ranges = [gd.layout.xaxis.range, gd.layout.yaxis.range];
    const box = [0, 0, canvas.width, canvas.height];
    const key = JSON.stringify([box, ranges, logs(gd), ratio, axes.map((a) => a.column), page.front]);
    paintOnce(canvas, key, () => {
      const context = canvas.getContext("2d");
      const image = context.createImageData(canvas.width, canvas.height);
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
    });
  }

  /** Return the schedule nearest to a place of the screen, among those that remain; -1 if none is near. */
  function under(id, event, reach = 14) {
    const gd = graph(id);
    const box = gd.getBoundingClientRect();
    const [l, t, w, h] = frame(gd);
    const [mx, my] = [event.clientX - box.left - l, event.clientY - box.top - t];
    const [xs, ys] = axesOf(id).map((axis, k) => places(axis, logs(gd)[k]));
    const [[xl, xh], [yl, yh]] = [gd.layout.xaxis.range, gd.layout.yaxis.range];
    let [best, nearest] = [reach * reach, -1];
    for (let i = 0; i < page.count; i++) {
      if (!page.mask[i]) continue;
      const dx = ((xs[i] - xl) / (xh - xl)) * w - mx;
      const dy = ((yh - ys[i]) / (yh - yl)) * h - my;
      const far = dx * dx + dy * dy;
      if (far < best) [best, nearest] = [far, i];
    }
    return nearest;
  }

  const inside = (gd, event) => {
    const box = gd.getBoundingClientRect();
    const [l, t, w, h] = frame(gd);
    const [x, y] = [event.clientX - box.left - l, event.clientY - box.top - t];
    return x >= 0 && y >= 0 && x <= w && y <= h;
  };

  /** Return the next schedule in the order of these values, among those that remain; -1 if there is none. */
  function next(values, from, step) {
    let nearest = -1;
    const after = (i, j) => (step * (values[i] - values[j]) || step * (i - j)) > 0;
    for (let i = 0; i < page.count; i++) {
      if (page.mask[i] && after(i, from) && (nearest < 0 || after(nearest, i))) nearest = i;
    }
    return nearest;
  }

  /** Set the limits of both objectives to the rectangle from the start of the drag to the pointer. */
  function brush(id, gd, band, drag, event) {
    const box = gd.getBoundingClientRect();
    const [l, t, w, h] = frame(gd);
    const xs = [drag.x, event.clientX].map((v) => clamp(v - box.left - l, 0, w)).sort((a, b) => a - b);
    const ys = [drag.y, event.clientY].map((v) => clamp(v - box.top - t, 0, h)).sort((a, b) => a - b);
    Object.assign(band.style, {
      display: "block",
      left: `${l + xs[0]}px`,
      top: `${t + ys[0]}px`,
      width: `${xs[1] - xs[0]}px`,
      height: `${ys[1] - ys[0]}px`,
    });
    const log = logs(gd);
    const across = gd.layout.xaxis.range.map(Number);
    const up = gd.layout.yaxis.range.map(Number);
    const value = (place, k) => (log[k] ? 10 ** place : place);
    const ends = [
      xs.map((x) => across[0] + (x / w) * (across[1] - across[0])),
      [ys[1], ys[0]].map((y) => up[1] - (y / h) * (up[1] - up[0])),
    ];
    const at = [
      [xs[0] <= 0, xs[1] >= w],
      [ys[1] >= h, ys[0] <= 0],
    ];
    page.live = {};
    axesOf(id).forEach((axis, k) => {
      const range = [across, up][k].map((place) => value(place, k));
      const rounded = ends[k].map((place, e) =>
        at[k][e] ? null : natural(round(value(place, k), range[1] - range[0]), axis),
      );
      if (rounded[0] !== null && rounded[0] <= 0) rounded[0] = null;
      page.live[axis.name] = rounded;
    });
    refresh();
  }

  // --- the values under the pointer ---

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
        line.append(
          element("span", axis.name),
          element("span", `${(page.values[axis.column][row] * axis.factor).toFixed(2)} ${axis.unit}`),
        );
        box.append(line);
      }
      box.style.display = "block";
      box.style.left = `${Math.min(event.clientX + 16, window.innerWidth - box.offsetWidth - 8)}px`;
      box.style.top = `${Math.min(event.clientY + 16, window.innerHeight - box.offsetHeight - 8)}px`;
    });
  }

  // --- pointer and keys ---

  /** Let the pointer brush a rectangle; a click without a move chooses a schedule. */
  function brushByPointer(id, gd, host) {
    let drag = null;
    const band = element("div");
    band.className = "band";
    host.append(band);
    const stop = () => {
      drag = null;
      page.gesture = false;
      band.style.display = "none";
    };
    host.addEventListener("pointerdown", (event) => {
      if (event.button || gd.layout.dragmode !== false || !inside(gd, event) || !page.values) return;
      settle();
      drag = { x: event.clientX, y: event.clientY, moved: false };
      host.setPointerCapture(event.pointerId);
      event.preventDefault();
      host.focus({ preventScroll: true });
    });
    host.addEventListener("pointermove", (event) => {
      if (!drag) return hover(id, event);
      hide();
      if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) > 5) drag.moved = page.gesture = true;
      if (drag.moved) soon(() => drag && brush(id, gd, band, drag, event));
    });
    host.addEventListener("pointerup", (event) => {
      if (!drag) return;
      const { moved } = drag;
      if (moved) brush(id, gd, band, drag, event);
      stop();
      if (moved) return say({ do: "limit", limits: page.live });
      const row = under(id, event);
      if (row >= 0) say({ do: "choose", row });
    });
    host.addEventListener("pointercancel", () => {
      stop();
      page.live = null;
      refresh();
    });
    host.addEventListener("pointerleave", hide);
    host.addEventListener("dblclick", () => {
      if (gd.layout.dragmode === false)
        say({ do: "limit", limits: Object.fromEntries(axesOf(id).map((axis) => [axis.name, [null, null]])) });
    });
  }

  /** Let the arrow keys go from schedule to schedule. */
  function walkByKeys(id, host) {
    host.tabIndex = 0;
    host.setAttribute("role", "group");
    host.setAttribute("aria-label", "schedules; arrow keys go from one to the next, Enter puts it on the shortlist");
    host.addEventListener("keydown", (event) => {
      if (event.key === "Enter") say({ do: "pick", row: page.scene.row });
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: 1, ArrowDown: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const across = event.key === "ArrowRight" || event.key === "ArrowLeft";
      const row = next(page.values[axesOf(id)[across ? 0 : 1].column], page.scene.row, step);
      if (row >= 0) {
        page.scene.row = row;
        say({ do: "choose", row });
      }
    });
  }

  /** Let a projection answer to pointer and keys, once plotly has drawn it. */
  function attach(id) {
    const gd = graph(id);
    if (!gd || gd.attached || !gd.on) return;
    gd.attached = true;
    const host = gd.closest(".cloud");
    gd.on("plotly_afterplot", () => cloud(id));
    gd.on("plotly_relayout", () => cloud(id));
    walkByKeys(id, host);
    brushByPointer(id, gd, host);
    cloud(id);
  }

  /** Let all projections answer that plotly has drawn meanwhile. */
  function attachAll() {
    if (page.values) PROJECTIONS.forEach(attach);
  }

  onDraw(() => {
    if ($("page").dataset.view !== "overview") return;
    PROJECTIONS.forEach((id) => {
      attach(id);
      cloud(id);
    });
  });

  Object.assign(window.paretosched, { attachAll });
})();
