// Saving charts as PNG and SVG files.
(() => {
  "use strict";
  const { $, SVG, element, graph, node, page, shape } = window.paretosched;
  /** Save a chart as NAME.png or NAME.svg. */
  async function save(key, kind) {
    const url = key === "parallel" || key === "pairs" ? await drawingAs($(key), kind) : await figureAs(key, kind);
    Object.assign(element("a"), { href: url, download: `${key}.${kind}` }).click();
  }

  /** Return the address of a figure of plotly with the schedules beneath it. */
  async function figureAs(key, kind) {
    const gd = graph(key);
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    const canvas = gd.closest(".cloud")?.querySelector("canvas");
    const line = { gridcolor: colour("--line"), linecolor: colour("--line"), tickfont: { color: colour("--quiet") } };
    const layout = {
      ...gd.layout,
      width: gd.clientWidth,
      height: gd.clientHeight,
      paper_bgcolor: colour("--card"),
      plot_bgcolor: "rgba(0,0,0,0)",
      font: { ...gd.layout.font, color: colour("--ink") },
    };
    for (const axis of ["xaxis", "yaxis"])
      layout[axis] = {
        ...gd.layout[axis],
        ...line,
        title: { ...gd.layout[axis].title, font: { color: colour("--quiet") } },
      };
    layout.annotations = (gd.layout.annotations ?? []).map((note) => ({
      ...note,
      bgcolor: colour("--card"),
      font: { color: colour("--ink") },
    }));
    if (canvas)
      layout.images = [
        {
          source: canvas.toDataURL(),
          xref: "paper",
          yref: "paper",
          x: 0,
          y: 1,
          sizex: 1,
          sizey: 1,
          sizing: "stretch",
          layer: "below",
        },
      ];
    return window.Plotly.toImage(
      { data: gd.data, layout },
      { format: kind, scale: 2, width: layout.width, height: layout.height },
    );
  }

  /** Return the address of a drawing of this page with its canvas, its styles, and the names of the marks below. */
  async function drawingAs(host, kind) {
    const svg = host.querySelector("svg");
    const canvas = host.querySelector("canvas");
    const copy = svg.cloneNode(true);
    const [width, above] = [host.clientWidth, host.clientHeight];
    const height = above + 26; // names of the marks stand below
    const looks = [
      "fill",
      "stroke",
      "stroke-width",
      "stroke-dasharray",
      "opacity",
      "font-size",
      "font-family",
      "font-weight",
      "text-anchor",
      "display",
      "paint-order",
      "stroke-linejoin",
    ];
    const from = svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((target, k) => {
      const style = getComputedStyle(from[k]);
      for (const key of looks) target.style.setProperty(key, style.getPropertyValue(key));
    });
    copy.querySelectorAll(".handle:not(.set), .reach, title").forEach((unwanted) => unwanted.remove());
    Object.entries({ xmlns: SVG, width, height, viewBox: `0 0 ${width} ${height}` }).forEach(([key, value]) =>
      copy.setAttribute(key, value),
    );
    const place = { x: canvas.offsetLeft, y: canvas.offsetTop, width: canvas.offsetWidth, height: canvas.offsetHeight };
    const image = node(copy, "image", { ...place, href: canvas.toDataURL() });
    const style = getComputedStyle(document.documentElement);
    const paper = node(copy, "rect", { width, height, fill: style.getPropertyValue("--card").trim() });
    let right = 12;
    const write = (words, mark) => {
      mark(right + 6, above + 12);
      node(
        copy,
        "text",
        {
          x: right + 17,
          y: above + 16,
          fill: style.getPropertyValue("--ink").trim(),
          "font-size": 12,
          "font-family": getComputedStyle(document.body).fontFamily,
        },
        words,
      );
      right += 36 + 7.2 * words.length;
    };
    write(page.scene.name, (cx, cy) =>
      node(copy, "circle", {
        cx,
        cy,
        r: 5,
        fill: "none",
        stroke: style.getPropertyValue("--chosen").trim(),
        "stroke-width": 2.5,
      }),
    );
    for (const entry of page.scene.legend.filter(({ name }) => !page.hidden.has(name)))
      write(entry.name, (x, y) => shape(copy, entry, x, y, 11));
    copy.prepend(paper, image);
    const url = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
    if (kind === "svg") return url;
    const picture = new Image();
    picture.src = url;
    await picture.decode();
    const sheet = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
    sheet.getContext("2d").drawImage(picture, 0, 0, 2 * width, 2 * height);
    return sheet.toDataURL("image/png");
  }

  Object.assign(window.paretosched, { save });
})();
