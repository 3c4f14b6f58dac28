// The view over time: a drag across the months shows that time below, and a click on a job says why it waited.
(() => {
  "use strict";
  const { $, onScene, page } = window.paretosched;
  const DAY = 86400; // s

  /** Ask for a span of time, or for a job in it: at a second and a processor in the schedule of a number. */
  function ask(kind, span, at = [0, 0], number = 0) {
    const [from, where] = [span, at].map((pair) => pair.map(Math.floor));
    const question = { ...JSON.parse(page.scene.questions.time), kind, number, span: from, at: where };
    window.dash_clientside.set_props({ part: "ask", place: kind }, { data: question });
  }

  const first = () => Number($("months").dataset.first);

  /** Show the same days in all rows of a plot, without its telling the others. */
  function follow(plot, days) {
    const rows = Object.keys(plot.layout).filter((name) => /^xaxis\d*$/.test(name));
    plot.isFollowing = true;
    window.Plotly.relayout(plot, Object.fromEntries(rows.map((name) => [`${name}.range`, days])));
  }

  /** Let a plot answer to the pointer, once plotly has drawn it. */
  function attach(plot) {
    if (plot.answers || !plot.on) return;
    plot.answers = true;
    const together = plot.closest("[data-part='time']");
    if (together)
      plot.on("plotly_relayout", (change) => {
        const key = Object.keys(change).find((name) => /^xaxis\d*\.range(\[0\])?$/.test(name)); // [0] after a drag
        if (!key || plot.isFollowing) return void (plot.isFollowing = false);
        const days = key.endsWith("]") ? [change[key], change[key.replace("[0]", "[1]")]] : change[key];
        for (const other of together.querySelectorAll(".js-plotly-plot")) if (other !== plot) follow(other, days);
        if (key.endsWith("]")) ask("week", days.map((day) => first() + day * DAY));
      });
    const week = plot.closest("[data-week]");
    if (week)
      plot.on("plotly_click", ({ points }) =>
        ask("job", JSON.parse(week.dataset.span), [first() + points[0].x * DAY, points[0].y], Number(week.dataset.week)),
      );
  }

  document.addEventListener("click", (event) => event.target.id === "worst-week" && ask("week", [0, 0]));

  let begun = false;
  onScene(() => {
    if (begun) return;
    begun = true;
    new MutationObserver(() => document.querySelectorAll(".over-time .js-plotly-plot").forEach(attach)).observe(
      document.querySelector(".over-time"),
      { childList: true, subtree: true },
    );
  });
})();
