// Plotly draws the axes and marks of the projections, and the bars of the second tab. It is 4.8 MB, so it is fetched
// after the first chart, which does not need it.
(() => {
  "use strict";
  const { $, complain, onDraw, page } = window.paretosched;
  const CONFIG = {
    displaylogo: false,
    modeBarButtons: [["zoom2d", "pan2d", "resetScale2d"]],
    plotlyServerURL: "",
    responsive: true,
    doubleClick: false,
  };

  let fetched = null;
  /** Return plotly, once it is there. */
  function plotly() {
    fetched ??= new Promise((done) => {
      const script = document.createElement("script");
      script.src = $("page").dataset.plotly;
      script.onload = () => done(window.Plotly);
      script.onerror = () => {
        fetched = null; // the server was away; the next drawing tries again
        complain("The projections could not be drawn: the server did not answer.");
      };
      document.head.append(script);
    });
    return fetched;
  }

  /** Return the plot in an element; null before it is drawn. */
  const graph = (id) => ($(id)?.classList.contains("js-plotly-plot") ? $(id) : null);

  /** Draw a figure in an element, if it is visible and shows another one. */
  async function plot(host, figure) {
    if (!host || !figure || !host.clientWidth || host.drawn === figure) return;
    const library = await plotly();
    if (host.drawn === figure || !host.isConnected) return;
    host.drawn = figure;
    const { data, layout } = JSON.parse(figure);
    await library.react(host, data, { ...layout, autosize: true }, CONFIG);
    nameButtons(host);
    window.paretosched.attachAll();
  }

  /** Name the buttons of a plot for screen readers: they are links without words. */
  function nameButtons(host) {
    for (const button of host.querySelectorAll(".modebar-btn")) {
      button.setAttribute("role", "button");
      button.setAttribute("aria-label", button.dataset.title ?? "chart");
    }
  }

  function plotAll() {
    for (const id of ["free", "util"]) void plot($(id), page.figures[id]);
    void plot($("differences"), $("differences")?.dataset.figure);
  }

  let painted = false;
  onDraw(() => {
    if (painted) return plotAll();
    painted = true; // the first chart is painted before plotly is fetched
    requestAnimationFrame(() => setTimeout(plotAll));
  });

  Object.assign(window.paretosched, { graph });
})();
