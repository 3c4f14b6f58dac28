// What every file of the page uses: the values of the front, the last answer of the server, and which schedules remain.
//
// The files of this folder are plain scripts that Dash loads in the order of their names. Each is a closure. It uses
// names of the files before it, and adds names for those after it, through one object, window.paretosched:
//
//   00-access       the token in every request, and where it is asked for
//   01-page         values, limits, the mask of what remains, drawing again
//   02-server       actions sent to the server, one after the other, and its answers
//   03-painting     densities on canvases, shapes in SVG, looks
//   04-plots        the plots that Dash draws, after the first chart
//   05-projections  the clouds of the two projections: painting, brushing, hovering, keys
//   06-parallel     parallel coordinates
//   07-brushing     limits on their axes, by pointer and by keys
//   08-pairs        small charts of every two objectives
//   09-export       charts as PNG and SVG files
//   10-fields       fields: what is not sent yet stays, whatever the server answers
//   11-legend       which marks and which axes are shown, and in which order
//   12-controls     buttons, lists, keys, theme
//   13-time         months and weeks of two schedules
//
// All values of the front are held here once, and every brush is computed from them. The server gets the limits when a
// brush rests. Its answers change the pieces of the page that are different, through Dash, and bring numbers and
// figures; see contents.py and the tabs.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);

  // scene: the last answer; front: the digest of the front whose rows are shown; values: one array for each objective;
  // mask: 1 for schedules that remain; left: how many remain; within: the limits that the mask is of; live: limits that
  // are brushed now and not sent yet; gesture: whether a pointer or a key is brushing; places: values as they are drawn,
  // by axis; palette: colours of this theme, null to read them again; axes: the names of the shown axes in their order,
  // null for all that tell schedules apart; hidden: the names of the marks that are not shown
  const page = {
    scene: null,
    front: "",
    values: null,
    count: 0,
    mask: null,
    left: 0,
    within: "",
    live: null,
    gesture: false,
    places: new Map(),
    palette: null,
    axes: null,
    hidden: new Set(),
  };

  const painters = []; // functions that draw what depends on the mask
  const listeners = []; // functions that show what depends on the answer of the server only
  const onDraw = (paint) => painters.push(paint);
  const onScene = (listener) => listeners.push(listener);

  // --- values, limits, masks ---

  const axisOf = (name) => page.scene.axes.find((axis) => axis.name === name);

  /** Return the axes that are shown, in their order; not those on which all schedules have the same value. */
  function shownAxes() {
    if (page.axes) return page.axes.map(axisOf);
    const apart = page.scene.axes.filter(({ column }) => page.values[column].some((x) => x !== page.values[column][0]));
    return apart.length > 1 ? apart : page.scene.axes;
  }

  /** Return all values of an objective as they are drawn: hours or per cent, or the logarithm of that. */
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

  /** Return the values of one schedule in all objectives. */
  const valuesOf = (row) => page.values.map((column) => column[row]);

  /** Compute which schedules are within all limits, if these have changed, and show how many. */
  function filter() {
    const ranges = [...Object.entries(page.scene.fixed), ...Object.entries(limits())];
    const within = JSON.stringify([page.front, ranges]);
    if (within === page.within) return;
    page.within = within;
    const mask = page.mask.fill(1);
    for (const [name, ends] of ranges) {
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
      ` of ${page.count.toLocaleString("en")} ${page.count === 1 ? "remains" : "remain"}`,
    );
    words.dataset.left = left;
  }

  /** Return a limit, rounded so that a person can read it: to a 400th of what the axis shows. */
  function round(value, span) {
    const step = 10 ** Math.floor(Math.log10(span / 400 || 1));
    return Number((Math.round(value / step) * step).toPrecision(10));
  }

  const natural = (drawn, axis) => Number((axis.factor === 1 ? drawn : drawn / axis.factor).toPrecision(12));

  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  // --- drawing again ---

  let frames = 0;
  function refresh() {
    if (!page.scene || !page.values) return;
    filter();
    for (const paint of painters) paint();
    document.documentElement.dataset.drawn = ++frames;
  }

  /** Show a scene, that is, an answer of the server; Dash has changed the pieces of the page already. */
  function show(scene) {
    page.scene = scene;
    for (const listener of listeners) listener(scene);
    refresh();
    document.documentElement.dataset.revision = scene.revision;
  }

  let pending = null;
  /** Call a function with the next frame of the screen; of several calls before it, only the last one counts. */
  function soon(work) {
    if (!pending) {
      requestAnimationFrame(() => {
        const last = pending;
        pending = null;
        last();
      });
    }
    pending = work;
  }

  // --- elements, messages, what is chosen ---

  function element(name, text) {
    const created = document.createElement(name);
    if (text !== undefined) created.textContent = text;
    return created;
  }

  /** Show what went wrong, above all three tabs. */
  function complain(words) {
    $("message").textContent = words;
  }

  const CHOICES = ["tab", "mode", "view"];
  const scrolled = new Map(); // how far each tab is scrolled, in pixels

  /** Show on the buttons which tab, mode and view are chosen. */
  function press() {
    for (const key of CHOICES) {
      for (const button of document.querySelectorAll(`.choice[data-${key}]`))
        button.setAttribute("aria-pressed", button.dataset[key] === $("page").dataset[key]);
    }
  }

  /** Show another tab, mode or view, and remember it in the address, so that the back button leads here again. */
  function choose(key, value) {
    const before = $("page").dataset[key];
    if (before === value) return;
    const panel = $("panels"); // all tabs are scrolled in it, each to a place of its own
    if (key === "tab") scrolled.set(before, panel.scrollTop);
    $("page").dataset[key] = value;
    history.pushState(null, "", address());
    complain("");
    present();
    if (key === "tab") panel.scrollTop = scrolled.get(value) ?? 0;
  }

  function present() {
    press();
    refresh();
    window.dispatchEvent(new Event("resize")); // plotly measures itself again
  }

  /** Return the address of what is shown: tab, mode, view, wish and axes. */
  function address() {
    const parts = CHOICES.map((key) => [key, $("page").dataset[key]]);
    if (page.scene?.wish) parts.push(["wish", page.scene.wish]);
    if (page.axes) parts.push(["axes", page.axes.join(" ")]);
    return `#${new URLSearchParams(parts)}`;
  }

  /** Take tab, mode, view and axes from the address, and return the wish in it; "" if there is none. */
  function restore() {
    const parts = new URLSearchParams(location.hash.slice(1));
    for (const key of CHOICES) {
      const known = [...document.querySelectorAll(`.choice[data-${key}]`)].map((button) => button.dataset[key]);
      if (known.includes(parts.get(key))) $("page").dataset[key] = parts.get(key);
    }
    const names = (parts.get("axes") ?? "").split(" ");
    const axes = names.filter((name, k) => axisOf(name) && names.indexOf(name) === k);
    page.axes = axes.length > 1 ? axes : null;
    return parts.get("wish") ?? "";
  }

  window.paretosched = {
    $,
    address,
    present,
    restore,
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
    shownAxes,
    soon,
    valuesOf,
  };
})();
