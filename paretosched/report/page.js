(async () => {
  const json = (element) => JSON.parse(element.textContent);
  const themes = json(document.getElementById("themes"));
  const config = json(document.getElementById("config"));
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const theme = () => themes[dark.matches ? "dark" : "light"];
  const plots = [];
  // the ticks chosen for the whole of a logarithmic axis are too few for a part of it: then plotly's own
  const ticks = (plot, whole) => {
    const change = {};
    for (const name of Object.keys(whole).filter((key) => whole[key].type === "log")) {
      const range = plot.layout[name].range;
      const mode = whole[name].range.every((end, i) => Math.abs(end - range[i]) < 1e-9) ? "array" : "auto";
      if (plot.layout[name].tickmode !== mode) change[name + ".tickmode"] = mode;
    }
    if (Object.keys(change).length) Plotly.relayout(plot, change);
  };
  for (const figure of document.querySelectorAll("figure")) {
    const plot = figure.querySelector(".plot");
    const {data, layout} = json(figure.querySelector("script"));
    try {
      await Plotly.newPlot(plot, data, {...structuredClone(layout), template: theme()}, config);
      plot.on("plotly_relayout", () => ticks(plot, layout));
      plots.push(plot);
    } catch (error) {
      console.error(error);
      plot.innerHTML = "<p>This browser could not draw the figure.</p>";
    }
  }
  dark.addEventListener("change", () => plots.forEach((plot) => Plotly.relayout(plot, {template: theme()})));
  document.documentElement.dataset.drawn = plots.length;
})();
