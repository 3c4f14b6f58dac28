// Limits on the axes of the parallel coordinates, by pointer and by keys. The page shows a limit while the pointer or
// the key moves it, and sends it to the server at the end of the move.
(() => {
  "use strict";
  const {
    PAD,
    axisOf,
    clamp,
    levelOf,
    limitByKey,
    limits,
    natural,
    onParallel,
    page,
    refresh,
    round,
    say,
    settle,
    soon,
    valueAt,
  } = window.paretosched;
  const STEPS = { ArrowUp: -0.01, ArrowDown: 0.01, PageUp: -0.1, PageDown: 0.1, Home: -1, End: 1 };

  const nameUnder = (event) => event.target.dataset?.axis ?? event.target.dataset?.handle?.split(" ")[0];

  /** Set the limits of an axis to two levels, each from 0 at its best end to 1 at its worst end. */
  function setLimits(axis, from, to) {
    const span = Math.abs(valueAt(axis, 0) - valueAt(axis, 1));
    const value = (at) => (at <= 0.001 || at >= 0.999 ? null : natural(round(valueAt(axis, at), span), axis));
    const [top, bottom] = [Math.min(from, to), Math.max(from, to)];
    page.live = { [axis.name]: axis.maximise ? [value(bottom), value(top)] : [value(top), value(bottom)] };
    refresh();
  }

  /** Return the levels of the limits of an axis: of the lower limit and of the upper limit. */
  function levelsOfLimits(axis) {
    const ends = limits()[axis.name] ?? [0, null];
    const free = axis.maximise ? [1, 0] : [0, 1];
    return [0, 1].map((e) => clamp(ends[e] ? levelOf(axis, ends[e]) : free[e], 0, 1));
  }

  onParallel((svg) => {
    let drag = null;
    const levelUnder = (event) => {
      const box = svg.getBoundingClientRect();
      return clamp((event.clientY - box.top - PAD.top) / (box.height - PAD.top - PAD.bottom), 0, 1);
    };
    svg.addEventListener("pointerdown", (event) => {
      const axis = page.values && axisOf(nameUnder(event));
      if (!axis || event.button) return;
      settle();
      const at = levelUnder(event);
      const [low, high] = levelsOfLimits(axis);
      drag = { axis, at, moved: false };
      const e = event.target.dataset.handle?.slice(-1);
      // from a handle at the best end that sets no limit yet, the best stays: "at most" for a response time
      if (e) drag.fixed = !limits()[axis.name]?.[e] && [low, high][e] === 0 ? 0 : [high, low][e];
      else if (event.target.classList.contains("brush")) drag.whole = [low, high];
      else drag.fixed = at;
      svg.setPointerCapture(event.pointerId);
      event.preventDefault();
      svg.querySelector(`[data-handle="${axis.name} ${axis.maximise ? 0 : 1}"]`)?.focus({ preventScroll: true });
    });
    svg.addEventListener("pointermove", (event) => {
      if (!drag) return;
      const at = levelUnder(event);
      if (Math.abs(at - drag.at) > 0.01) drag.moved = page.gesture = true;
      if (!drag.moved) return;
      soon(() => {
        if (!drag) return;
        if (drag.whole) {
          const shift = clamp(at - drag.at, -Math.min(...drag.whole), 1 - Math.max(...drag.whole));
          setLimits(drag.axis, drag.whole[0] + shift, drag.whole[1] + shift);
        } else setLimits(drag.axis, drag.fixed, at);
      });
    });
    const stop = () => {
      drag = null;
      page.gesture = false;
    };
    svg.addEventListener("pointerup", (event) => {
      const last = drag;
      if (last?.moved && !last.whole) setLimits(last.axis, last.fixed, levelUnder(event));
      stop();
      if (last?.moved && page.live) say({ do: "limit", limits: page.live });
    });
    svg.addEventListener("pointercancel", () => {
      stop();
      page.live = null;
      refresh();
    });
    svg.addEventListener("dblclick", (event) => {
      const name = nameUnder(event);
      if (name) say({ do: "limit", limits: { [name]: [null, null] } });
    });
  });

  onParallel((svg) =>
    svg.addEventListener("keydown", (event) => {
      const handle = event.target.dataset?.handle;
      if (!handle) return;
      const [name, e] = handle.split(" ");
      const axis = axisOf(name);
      const step = STEPS[event.key];
      if (!step && event.key !== "Delete") return;
      event.preventDefault();
      if (page.live && !(name in page.live)) settle(); // those limits are of another axis
      const [low, high] = levelsOfLimits(axis);
      limitByKey();
      if (event.key === "Delete") {
        page.live = { [name]: [null, null] };
        refresh();
      } else if (e === "1") setLimits(axis, low, clamp(high + step, 0, 1));
      else setLimits(axis, clamp(low + step, 0, 1), high);
    }),
  );
})();
