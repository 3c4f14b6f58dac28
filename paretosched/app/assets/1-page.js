// What every file of the page uses: the values of the front, what the server answered last, and which schedules remain.
//
// The files of this folder are plain scripts that Dash loads in the order of their names. Each is a closure. It uses
// names of the files before it, and adds names for the files after it, through one object, window.paretosched:
//
//   1-page         values, limits, the mask of what remains, drawing anew
//   2-server       what is said to the server, one action after the other, and its answers
//   3-painting     densities on canvases, shapes in SVG, looks
//   4-projections  the clouds of the two projections: painting, brushing, hovering, keys
//   5-parallel     parallel coordinates
//   6-brushing     limits on their axes, by pointer and by keys
//   7-pairs        small charts of every two objectives
//   8-export       charts as PNG and SVG files
//   9-controls     legend, fields, buttons, keys, theme; the page begins here
//
// All values of the front are held here once, and every brush is answered from them. The server is told when a brush
// rests, and answers with words, tables and figures; see server.py and the tabs.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);

  // scene: the last answer; values: one array an objective; mask: 1 for what remains; left: how many remain;
  // live: limits that are brushed now and not said yet; gesture: whether a pointer or a key is brushing;
  // places: values as they are drawn, by axis; palette: colours of this theme, null to read them again
  const page = {
    scene: null,
    values: null,
    count: 0,
    mask: null,
    left: 0,
    live: null,
    gesture: false,
    places: new Map(),
    palette: null,
  };

  const painters = []; // draw what depends on the mask
  const listeners = []; // show what depends on the answer of the server only
  const onDraw = (paint) => painters.push(paint);
  const onScene = (listener) => listeners.push(listener);

  // --- values, limits, masks ---

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

  /** Values of one schedule in all objectives. */
  const valuesOf = (row) => page.values.map((column) => column[row]);

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
    words.replaceChildren(
      element("b", left.toLocaleString("en")),
      ` of ${page.count.toLocaleString("en")} ${page.count === 1 ? "schedule remains" : "schedules remain"}`,
    );
    words.dataset.left = left;
  }

  /** Round a limit so that a person can read it: to a 400th of what the axis shows. */
  function round(value, span) {
    const step = 10 ** Math.floor(Math.log10(span / 400 || 1));
    return Number((Math.round(value / step) * step).toPrecision(10));
  }

  const natural = (drawn, axis) => Number((axis.factor === 1 ? drawn : drawn / axis.factor).toPrecision(12));

  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  // --- drawing anew ---

  let frames = 0;
  function refresh() {
    if (!page.scene || !page.values) return;
    filter();
    for (const paint of painters) paint();
    document.documentElement.dataset.drawn = ++frames;
  }

  /** Show a scene: an answer of the server. */
  function show(scene) {
    page.scene = scene;
    for (const listener of listeners) listener(scene);
    refresh();
    document.documentElement.dataset.revision = scene.revision;
  }

  let asked = null;
  /** Do something with the next frame of the screen, once, however often it is asked for. */
  function soon(work) {
    if (!asked) {
      requestAnimationFrame(() => {
        const last = asked;
        asked = null;
        last();
      });
    }
    asked = work;
  }

  // --- elements, messages, what is chosen ---

  function element(name, text) {
    const one = document.createElement(name);
    if (text !== undefined) one.textContent = text;
    return one;
  }

  /** Say what went wrong, where it is seen on whatever tab. */
  function complain(words) {
    $("message").textContent = words;
  }

  const CHOICES = ["tab", "mode", "view"];

  /** Show on the buttons which tab, mode and view are chosen. */
  function press() {
    for (const key of CHOICES) {
      for (const one of document.querySelectorAll(`.choice[data-${key}]`))
        one.setAttribute("aria-pressed", one.dataset[key] === $("page").dataset[key]);
    }
  }

  function choose(key, value) {
    $("page").dataset[key] = value;
    complain("");
    press();
    refresh();
    window.dispatchEvent(new Event("resize")); // plotly measures itself again
  }

  window.paretosched = {
    $,
    CHOICES,
    axisOf,
    choose,
    clamp,
    complain,
    element,
    limits,
    natural,
    onDraw,
    onScene,
    page,
    places,
    press,
    refresh,
    round,
    show,
    soon,
    valuesOf,
  };
})();
