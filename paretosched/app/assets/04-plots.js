// The plots that Dash draws with plotly: the two projections. Plotly is 4.8 MB, so Dash gets the first figures after the
// first chart, which needs no plotly.
(() => {
  "use strict";
  const { $, onDraw } = window.paretosched;

  /** Return the plot in an element; null before it is drawn. */
  const graph = (id) => $(id)?.querySelector(".js-plotly-plot");

  let figures = null; // the last figures of the server
  let painted = false; // whether the first chart is on the screen

  function draw() {
    for (const id of ["free", "util"]) {
      const [plot, figure] = [`${id}-plot`, figures[id]];
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
    requestAnimationFrame(() => setTimeout(draw));
  });

  window.dash_clientside.page.plot = (next) => {
    figures = next;
    if (painted) draw();
  };

  /** Name the buttons of all plots for screen readers: they are links without words. */
  function nameButtons() {
    for (const button of document.querySelectorAll(".modebar-btn:not([role])")) {
      button.setAttribute("role", "button");
      button.setAttribute("aria-label", button.dataset.title ?? "chart");
    }
  }

  Object.assign(window.paretosched, { graph, nameButtons });
})();
