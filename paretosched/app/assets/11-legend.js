// Which marks and which axes are shown, and in which order the axes stand.
(() => {
  "use strict";
  const { $, address, drawPlots, element, node, onDraw, onScene, page, refresh, shape, shownAxes } = window.paretosched;

  // --- marks: a click on a name hides it or shows it again; the line of the name under the pointer stands out ---

  function legend() {
    const chips = page.scene.legend.map(({ name, colour, symbol, title }) => {
      const chip = Object.assign(element("button"), { className: "chip", title: `${title}\nclick: hide or show` });
      chip.dataset.mark = name;
      chip.setAttribute("aria-pressed", !page.hidden.has(name));
      const svg = node(chip, "svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
      shape(svg, { colour, symbol }, 8, 8, 15);
      chip.append(name);
      return chip;
    });
    const chosen = element("span", page.scene.name);
    chosen.className = "chip ring";
    chosen.dataset.mark = "";
    const focused = document.activeElement?.closest("#legend .chip")?.dataset.mark;
    $("legend").replaceChildren(chosen, ...chips);
    chips.find((chip) => chip.dataset.mark === focused)?.focus({ preventScroll: true });
  }
  onScene(legend);

  function hideOrShow(name) {
    if (!page.hidden.delete(name)) page.hidden.add(name);
    legend();
    drawPlots();
    refresh();
  }

  /** Let the line of a mark stand out; without a name all lines are as strong again. */
  function light(name) {
    for (const line of document.querySelectorAll("#parallel [data-mark]"))
      line.classList.toggle("faint", name !== undefined && !page.hidden.has(name) && line.dataset.mark !== name);
  }
  for (const kind of ["pointerover", "focusin"])
    document.addEventListener(kind, (event) => light(event.target.closest?.("#legend .chip")?.dataset.mark));

  // --- axes ---

  /** Press the names of the axes that are shown, and put them first, in their order. */
  function listAxes() {
    const shown = shownAxes().map((axis) => axis.name);
    for (const row of document.querySelectorAll("[data-axis-row]")) {
      const place = shown.indexOf(row.dataset.axisRow);
      row.style.order = place < 0 ? shown.length : place;
      row.querySelector(".switch").setAttribute("aria-pressed", place >= 0);
      for (const button of row.querySelectorAll("[data-step]"))
        button.disabled = place < 0 || shown[place + Number(button.dataset.step)] === undefined;
    }
  }
  onDraw(() => page.gesture || listAxes());

  /** Show these axes in this order, and remember that in the address. */
  function setAxes(names) {
    page.axes = names;
    history.pushState(null, "", address());
    refresh();
  }

  document.addEventListener("click", (event) => {
    const chip = event.target.closest("#legend button");
    if (chip) return hideOrShow(chip.dataset.mark);
    const button = event.target.closest("[data-axis-row] button");
    if (!button) return;
    const name = button.closest("[data-axis-row]").dataset.axisRow;
    const names = shownAxes().map((axis) => axis.name);
    const place = names.indexOf(name);
    if (button.dataset.step) {
      names.splice(place, 1);
      names.splice(place + Number(button.dataset.step), 0, name);
      setAxes(names);
    } else if (place < 0) setAxes([...names, name]);
    else if (names.length > 2) setAxes(names.filter((other) => other !== name)); // two axes are the least that show lines
  });
})();
