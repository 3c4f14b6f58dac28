// The plots that Dash draws with plotly: the two projections. Plotly is 4.8 MB, so Dash gets the first figures after the
// first chart, which needs no plotly.
(() => {
  "use strict";
  const { $, em, onDraw, page } = window.paretosched;

  /** Return the plot in an element; null before it is drawn. */
  const graph = (id) => $(id)?.querySelector(".js-plotly-plot");

  let figures = null; // the last figures of the server
  let painted = false; // whether the first chart is on the screen

  /** Return a figure without the marks that are hidden; its first traces and notes are those of the marks. */
  function withoutHidden({ data, layout }) {
    const seen = (part, k) => (page.hidden.has(figures.marks[k]) ? { ...part, visible: false } : part);
    return { data: data.map(seen), layout: large({ ...layout, annotations: (layout.annotations ?? []).map(seen) }) };
  }

  /** Return a layout whose words are as large as those of the page, with as much more room for them. */
  function large(layout) {
    if (em(1) < 1.2) return layout;
    const font = (part) => ({ font: { ...part?.font, size: em(13) } });
    const axis = (part) => ({ ...part, tickfont: { size: em(12) }, title: { ...part.title, ...font(part.title) } });
    const margin = Object.fromEntries(Object.entries(layout.margin).map(([side, px]) => [side, em(px)]));
    const note = (part) => ({ ...part, ...font(part), ax: em(part.ax ?? 0), ay: em(part.ay ?? 0) });
    const axes = { xaxis: axis(layout.xaxis), yaxis: axis(layout.yaxis) };
    return { ...layout, ...axes, margin, annotations: layout.annotations.map(note) };
  }

  function drawPlots() {
    if (!painted) return;
    for (const id of ["free", "util"]) {
      const [plot, figure] = [`${id}-plot`, withoutHidden(figures[id])];
      if ($(plot)) window.dash_clientside.set_props(plot, { figure });
      else {
        const props = { id: plot, figure, config: figures.config, style: { height: "100%" } };
        const children = { namespace: "dash_core_components", type: "Graph", props };
        window.dash_clientside.set_props(id, { children });
      }
    }
  }

  onDraw(() => {
    if (painted) return;
    painted = true;
    requestAnimationFrame(() => setTimeout(drawPlots));
  });

  window.dash_clientside.page.plot = (next) => {
    figures = next;
    requestAnimationFrame(() => setTimeout(drawPlots)); // numbers and tables are on the screen before
  };

  // Plotly may still follow the pointer over a plot that Dash has just removed (plotly.js issue 6047): nothing is lost.
  window.addEventListener("error", (event) => {
    const isKnown = event.filename?.includes("plotly") && /_hoverlayer|_hoversubplot|_rehover/.test(event.message);
    if (isKnown) event.preventDefault();
  });

  /** Name the buttons of all plots for screen readers: they are links without words. */
  function nameButtons() {
    for (const button of document.querySelectorAll(".modebar-btn:not([role])")) {
      button.setAttribute("role", "button");
      button.setAttribute("aria-label", button.dataset.title ?? "chart");
    }
  }

  Object.assign(window.paretosched, { drawPlots, graph, nameButtons });
})();
