// Legend, fields, buttons, keys and theme; the page begins here.
(() => {
  "use strict";
  const {
    $,
    CHOICES,
    attachAll,
    choose,
    complain,
    element,
    limits,
    node,
    onScene,
    page,
    press,
    refresh,
    save,
    say,
    shape,
    soon,
  } = window.paretosched;
  const MOST_OPENED = 500000; // bytes of a file

  // --- what is shown of the server's answer ---

  function legend() {
    const chips = page.scene.legend.map(({ name, colour, symbol, title }) => {
      const chip = element("span");
      chip.className = "chip";
      chip.title = title;
      const svg = node(chip, "svg", { viewBox: "0 0 16 16", "aria-hidden": "true" });
      shape(svg, { colour, symbol }, 8, 8, 15);
      chip.append(name);
      return chip;
    });
    const chosen = element("span", `schedule ${page.scene.row}`);
    chosen.className = "chip ring";
    $("legend").replaceChildren(chosen, ...chips);
  }

  onScene((scene) => {
    for (const id of ["across", "up"]) $(id).value = scene[id];
    for (const id of ["log", "fit"]) {
      const check = $(id).querySelector("input");
      if (check) check.checked = scene[id];
    }
    ["undo", "redo"].forEach((id, k) => ($(id).disabled = !scene.undoable[k]));
    $("words").textContent = scene.words;
    legend();
    press();
  });

  // --- fields ---

  /** Make the input of a field; React keeps the span around it and knows nothing of this. */
  function field(span) {
    const input = span.firstElementChild ?? inputOf(span);
    input.setAttribute("aria-label", span.dataset.label);
    input.placeholder = span.dataset.hint ?? "";
    if (input.type !== "checkbox" && span.dataset.value !== span.known) {
      span.known = span.dataset.value;
      input.value = span.known;
    }
  }

  function inputOf(span) {
    const wordy = span.dataset.field === "words";
    const input = element(wordy ? "textarea" : "input");
    if (wordy) input.rows = 2;
    else input.type = span.dataset.field === "check" ? "checkbox" : "text";
    if (span.dataset.field === "number") input.inputMode = "decimal";
    input.autocomplete = "off";
    input.spellcheck = false;
    span.append(input);
    if (input.type === "checkbox") {
      input.addEventListener("change", () =>
        say({ ...JSON.parse(span.dataset.do), [span.dataset.key]: input.checked }),
      );
      return input;
    }
    const commit = () => input.value !== span.known && sayField(span, input);
    input.addEventListener("blur", commit);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        commit();
      }
      if (event.key === "Escape") input.value = span.known;
    });
    return input;
  }

  /** What was typed as a number: null if nothing was, NaN if it is none. */
  function typed(input) {
    const text = input.value.trim().replace(",", ".");
    if (text === "") return null;
    return Number.isFinite(Number(text)) ? Number(text) : NaN;
  }

  /** Tell the server what was typed into a field. */
  function sayField(span, input) {
    const action = JSON.parse(span.dataset.do);
    const before = span.known;
    span.known = input.value;
    if (span.dataset.field === "text" || span.dataset.field === "words")
      return say({ ...action, [span.dataset.key]: input.value });
    const number = typed(input);
    if (Number.isNaN(number)) {
      complain(`“${input.value}” is not a number`);
      input.value = span.known = before;
      return;
    }
    const value = number === null ? null : Number((number * Number(span.dataset.factor)).toPrecision(12));
    if (action.do === "nothing") return;
    if (action.do === "limit") {
      const ends = [...(limits()[action.name] ?? [null, null])].map((end) => end || null);
      ends[span.dataset.key === "high" ? 1 : 0] = value;
      page.live = { ...page.live, [action.name]: ends }; // the other end may be typed before this one is answered
      refresh();
      return say({ do: "limit", limits: { [action.name]: ends } });
    }
    say({ ...action, [span.dataset.key]: value });
  }

  /** Tell the server the class of each objective, and the level of those that have one. */
  function sayClasses() {
    const classes = {};
    for (const select of document.querySelectorAll("select.class")) {
      const level = document.querySelector(`.field[data-level][data-name="${select.dataset.name}"]`);
      const number = typed(level.querySelector("input"));
      const bounded = / to$/.test(select.value) && Number.isFinite(number);
      classes[select.dataset.name] = [select.value, bounded ? number * Number(level.dataset.factor) : null];
    }
    say({ do: "classify", classes });
  }

  // --- buttons, lists, keys ---

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    for (const key of CHOICES)
      if (button.classList.contains("choice") && button.dataset[key]) return choose(key, button.dataset[key]);
    if (button.dataset.do) return say(JSON.parse(button.dataset.do));
    if (button.dataset.export) return save(...button.dataset.export.split(" "));
    if (button.id === "classify") return sayClasses();
    if (button.id === "theme") return theme(true);
    if (button.id === "open") return openFile();
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("select.axis")) say({ do: "look", [event.target.id]: event.target.value });
  });

  document.addEventListener("keydown", (event) => {
    const undo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (!undo || event.target.matches("input, textarea, select")) return; // fields have an undo of their own
    event.preventDefault();
    say({ do: event.shiftKey ? "redo" : "undo" });
  });

  function openFile() {
    const input = Object.assign(element("input"), { type: "file", accept: ".json,application/json" });
    input.addEventListener("change", async () => {
      const file = input.files[0];
      try {
        if (file.size > MOST_OPENED) throw new Error(`${file.name} is larger than any page that was saved`);
        say({ do: "open", text: await file.text() });
      } catch (error) {
        complain(error.message);
      }
    });
    input.click();
  }

  // --- light and dark ---

  const THEMES = ["", "light", "dark"];
  /** Show the theme that was chosen last; with `turn` the next one. */
  function theme(turn) {
    let now = localStorage.getItem("paretosched theme") ?? "";
    if (turn) now = THEMES[(THEMES.indexOf(now) + 1) % 3];
    localStorage.setItem("paretosched theme", now);
    document.documentElement.dataset.theme = now;
    if ($("theme")) $("theme").textContent = { "": "◐ auto", light: "○ light", dark: "● dark" }[now] ?? "◐ auto";
    page.palette = null;
    refresh();
  }

  // --- what React has made is completed when it appears or changes ---

  const upgrade = (root) => {
    root.querySelectorAll?.(".field").forEach(field);
    if (root.matches?.(".field")) field(root);
    root.querySelectorAll?.("select.class").forEach((select) => {
      if (select.known !== select.dataset.value) select.value = select.known = select.dataset.value;
    });
  };
  new MutationObserver((changes) => {
    for (const change of changes) {
      if (change.type === "attributes") upgrade(change.target.parentElement ?? change.target);
      else change.addedNodes.forEach((added) => upgrade(added));
    }
    if ($("theme") && !$("theme").dataset.ready) {
      $("theme").dataset.ready = "1";
      theme(false);
      press();
      new ResizeObserver(() => soon(refresh)).observe($("parallel"));
    }
    attachAll();
  }).observe(document.documentElement, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ["data-value"],
  });
  document.documentElement.dataset.theme = localStorage.getItem("paretosched theme") ?? "";
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    page.palette = null;
    refresh();
  });
})();
