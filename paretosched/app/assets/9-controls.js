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

  // --- the server's answer in the legend and the controls ---

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

  /** Put an input into the span of a field. React keeps the span and does not know the input. */
  function field(span) {
    const input = span.firstElementChild ?? inputOf(span);
    input.setAttribute("aria-label", span.dataset.label);
    input.placeholder = span.dataset.hint ?? "";
    if (input.type !== "checkbox" && span.dataset.value !== span.last) {
      span.last = span.dataset.value;
      input.value = span.last;
    }
  }

  /** Create the input of a field. */
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
    const commit = () => input.value !== span.last && sendField(span, input);
    input.addEventListener("blur", commit);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault();
        commit();
      }
      if (event.key === "Escape") input.value = span.last;
    });
    return input;
  }

  /** Return the text of an input as a number: null if it is empty, NaN if it is no number. */
  function numberIn(input) {
    const text = input.value.trim().replace(",", ".");
    if (text === "") return null;
    return Number.isFinite(Number(text)) ? Number(text) : NaN;
  }

  /** Send the text of a field to the server. */
  function sendField(span, input) {
    const action = JSON.parse(span.dataset.do);
    const before = span.last;
    span.last = input.value;
    if (span.dataset.field === "text" || span.dataset.field === "words")
      return say({ ...action, [span.dataset.key]: input.value });
    const number = numberIn(input);
    if (Number.isNaN(number)) {
      complain(`“${input.value}” is not a number`);
      input.value = span.last = before;
      return;
    }
    const value = number === null ? null : Number((number * Number(span.dataset.factor)).toPrecision(12));
    if (action.do === "nothing") return;
    if (action.do === "limit") {
      const ends = [...(limits()[action.name] ?? [null, null])].map((end) => end || null);
      ends[span.dataset.key === "high" ? 1 : 0] = value;
      page.live = { ...page.live, [action.name]: ends }; // the owner may type the other limit before the answer
      refresh();
      return say({ do: "limit", limits: { [action.name]: ends } });
    }
    say({ ...action, [span.dataset.key]: value });
  }

  /** Send the class of each objective to the server, and the levels of those that have one. */
  function sendClasses() {
    const classes = {};
    for (const select of document.querySelectorAll("select.class")) {
      const level = document.querySelector(`.field[data-level][data-name="${select.dataset.name}"]`);
      const number = numberIn(level.querySelector("input"));
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
    if (button.id === "classify") return sendClasses();
    if (button.id === "theme") return theme(true);
    if (button.id === "open") return openFile();
  });

  document.addEventListener("change", (event) => {
    if (event.target.matches("select.axis")) say({ do: "look", [event.target.id]: event.target.value });
  });

  document.addEventListener("keydown", (event) => {
    const undo = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z";
    if (!undo || event.target.matches("input, textarea, select")) return; // the browser has its own undo in fields
    event.preventDefault();
    say({ do: event.shiftKey ? "redo" : "undo" });
  });

  function openFile() {
    const input = Object.assign(element("input"), { type: "file", accept: ".json,application/json" });
    input.addEventListener("change", async () => {
      const file = input.files[0];
      try {
        if (file.size > MOST_OPENED) throw new Error(`${file.name} is larger than any page file`);
        say({ do: "open", text: await file.text() });
      } catch (error) {
        complain(error.message);
      }
    });
    input.click();
  }

  // --- light and dark ---

  const THEMES = ["", "light", "dark"];
  /** Show the owner's last theme; with `turn` change to the next one. */
  function theme(turn) {
    let now = localStorage.getItem("paretosched theme") ?? "";
    if (turn) now = THEMES[(THEMES.indexOf(now) + 1) % 3];
    localStorage.setItem("paretosched theme", now);
    document.documentElement.dataset.theme = now;
    if ($("theme")) $("theme").textContent = { "": "◐ auto", light: "○ light", dark: "● dark" }[now] ?? "◐ auto";
    page.palette = null;
    refresh();
  }

  // --- completing React's elements when they appear or change ---

  const upgrade = (root) => {
    root.querySelectorAll?.(".field").forEach(field);
    if (root.matches?.(".field")) field(root);
    root.querySelectorAll?.("select.class").forEach((select) => {
      if (select.last !== select.dataset.value) select.value = select.last = select.dataset.value;
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
