// Painting: densities on canvases, schedules as dots, shapes in SVG, and words cut to the room they have.
(() => {
  "use strict";
  const { onDraw, page, refresh } = window.paretosched;
  const FEW = 1500; // schedules that are drawn one by one; more of them are a density
  const MOST_COUNTED = 4095;
  const SVG = "http://www.w3.org/2000/svg";

  // --- colours ---

  function readPalette() {
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
    return {
      all: ramp("--all-few", "--all-many"),
      left: ramp("--left-few", "--left-many"),
      dot: style.getPropertyValue("--left-many"),
    };
  }

  let palettes = 0;
  onDraw(() => (page.palette ??= { ...readPalette(), number: ++palettes }));

  // --- densities and dots ---

  /** Paint a density: the more schedules pass a pixel, the stronger its colour. All strengths are equally frequent. */
  function colours(all, left, into, palette) {
    const pixels = new Uint32Array(into.data.buffer);
    const layers = [
      [left, palette.left],
      [all, palette.all],
    ]
      .filter(([counts]) => counts)
      .map(([counts, ramp]) => [counts, ramp, strengths(counts)]);
    for (let i = 0; i < pixels.length; i++) {
      for (const [counts, ramp, strength] of layers) {
        if (counts[i]) {
          pixels[i] = ramp[strength[Math.min(counts[i], MOST_COUNTED)]];
          break;
        }
      }
    }
  }

  /** Return the shade, 0 to 63, for each number of schedules in a pixel. */
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

  /** Return the canvas of a chart, the first element of its host, and the number of its pixels for each CSS pixel. */
  function canvasFor(host, x, y, width, height) {
    let canvas = host.querySelector(":scope > canvas");
    if (!canvas) {
      canvas = document.createElement("canvas");
      canvas.setAttribute("aria-hidden", "true");
      host.prepend(canvas);
      canvas.addEventListener("contextrestored", () => {
        canvas.painted = "";
        refresh();
      });
    }
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    Object.assign(canvas.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
    if (canvas.width !== w || canvas.height !== h) {
      [canvas.width, canvas.height] = [w, h]; // which empties it
      canvas.painted = "";
    }
    return [canvas, ratio];
  }

  /** Paint a canvas, unless it shows this already: `what` is described, within these limits, in these colours. */
  function paintOnce(canvas, what, paint) {
    const key = `${what} ${page.within} ${page.palette.number}`;
    if (canvas.painted === key) return;
    paint();
    canvas.painted = key;
  }

  /** Count the points of a projection in the pixels of a box. */
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

  /** Return the size of a schedule in pixels: large enough to see it, small enough for this number of schedules. */
  const spot = (count, canvas, ratio) => {
    const room = Math.sqrt((canvas.width * canvas.height) / count) / ratio;
    return Math.max(1, Math.round(ratio * Math.min(Math.max(0.75 * room, 1), 3)));
  };

  /** Draw the schedules that remain as dots, one by one. */
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

  // --- shapes and words ---

  /** Append an SVG element to its parent, and return it. */
  function node(parent, name, attributes, text) {
    const child = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) child.setAttribute(key, value);
    if (text !== undefined) child.textContent = text;
    parent.append(child);
    return child;
  }

  const SHAPES = {
    diamond: "M8 1 15 8 8 15 1 8Z",
    square: "M2 2H14V14H2Z",
    "triangle-up": "M8 1 15 14H1Z",
    cross: "M6 1H10V6H15V10H10V15H6V10H1V6H6Z",
    star: "M8 0 10 6H16L11 9.6 13 16 8 12 3 16 5 9.6 0 6H6Z",
    x: "M3 0 8 5 13 0 16 3 11 8 16 13 13 16 8 11 3 16 0 13 5 8 0 3Z",
    hexagram: "M8 0 10.3 4H15L12.7 8 15 12H10.3L8 16 5.7 12H1L3.3 8 1 4H5.7Z",
  };

  /** Draw a mark as plotly does; its shape alone, without colour, distinguishes it from others. */
  function shape(parent, { colour, symbol }, x, y, size) {
    const hollow = symbol.endsWith("-open");
    const scale = size / 16;
    const look = { fill: hollow ? "none" : colour, class: hollow ? "shape hollow" : "shape" };
    if (hollow) look.stroke = colour;
    node(parent, "path", {
      d: SHAPES[symbol.replace("-open", "")] ?? SHAPES.square,
      transform: `translate(${x - size / 2} ${y - size / 2}) scale(${scale})`,
      ...look,
    });
  }

  /** Return a number with three digits, never with an exponent. */
  const brief = (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

  let scale = 1; // of letters, which are larger on a large screen, and of what they need

  /** Return px at the size that letters have now. */
  const em = (px) => px * scale;
  const measure = () => (scale = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1);
  window.addEventListener("resize", measure);
  measure();

  /** Return as much of a name as there is room for. */
  const fitting = (words, room) =>
    words.length * em(6) <= room ? words : `${words.slice(0, Math.max(1, Math.floor(room / em(6)) - 1))}…`;

  Object.assign(window.paretosched, {
    FEW,
    SVG,
    brief,
    canvasFor,
    colours,
    dots,
    em,
    fitting,
    node,
    paintOnce,
    points,
    shape,
    spot,
  });
})();
