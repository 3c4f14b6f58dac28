// Legend, fields, buttons, keys and theme; the page begins here.
(() => {
  "use strict";
  const {
    $,
    CHOICES,
    address,
    begin,
    choose,
    complain,
    element,
    isUnsent,
    limits,
    morph,
    node,
    onDraw,
    onScene,
    page,
    press,
    refresh,
    restore,
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

  /** Offer the schedulers that are known as the one that the owner has today. */
  function schedulers({ known, mine }) {
    const list = $("mine");
    if (list.options.length !== known.length) list.replaceChildren(...known.map((name) => new Option(name, name)));
    list.selectedIndex = mine;
    $("mine-label").hidden = known.length === 0;
  }

  /** Fetch the cards that are to be seen and are not those of these schedules yet. */
  function cards() {
    for (const host of document.querySelectorAll("[data-card]")) {
      const place = host.dataset.card;
      if (host.shown === place || !host.checkVisibility()) continue; // in a tab or part that is closed
      host.shown = place;
      fetch(place)
        .then((response) => (response.ok ? response.text() : ""))
        .then((html) => host.shown === place && morph(host, html))
        .catch(() => (host.shown = "")); // the server is away; the next answer asks again
    }
  }
  onDraw(() => page.gesture || cards());
  document.addEventListener("toggle", cards, true); // a part that is opened is fetched then

  onScene((scene) => {
    for (const id of ["across", "up"]) $(id).value = scene[id];
    for (const id of ["log", "fit"]) {
      $(id).checked = scene[id];
    }
    ["undo", "redo"].forEach((id, k) => ($(id).disabled = !scene.undoable[k]));
    $("words").textContent = scene.words;
    $("facts").textContent = scene.facts;
    legend();
    schedulers(scene);
    press();
    markUnsent();
    history.replaceState(null, "", address());
  });

  // --- fields: what differs from the server's value is not sent yet, and is never sent by itself ---

  const fields = () => [...document.querySelectorAll("#ask [data-value]")].filter((field) => field.dataset.field);

  /** Mark the fields whose text is not sent yet, and say how many there are. */
  function markUnsent() {
    const texts = fields().filter((field) => {
      const is = isUnsent(field);
      field.toggleAttribute("data-unsent", is);
      return is && !field.dataset.level; // levels are sent with the classes
    });
    const host = $("unsent");
    if (host.dataset.count === String(texts.length)) return;
    host.dataset.count = texts.length;
    host.replaceChildren();
    if (!texts.length) return;
    const [send, back] = ["Send", "Take back"].map((words) => Object.assign(element("button", words), { className: "button" }));
    send.addEventListener("click", () => fields().filter(isUnsent).forEach(sendField));
    back.addEventListener("click", () => {
      for (const field of fields().filter(isUnsent)) field.value = field.dataset.value;
      markUnsent();
    });
    const words = texts.length === 1 ? "One field is not sent yet" : `${texts.length} fields are not sent yet`;
    host.append(`${words} (Enter sends it, Escape takes it back).`, " ", send, " ", back);
  }

  document.addEventListener("input", (event) => event.target.dataset?.field && markUnsent());

  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (!field.dataset?.field || field.type === "checkbox") return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      if (field.dataset.level) return sendClasses();
      if (field.value !== field.dataset.value) sendField(field);
      markUnsent();
    }
    if (event.key === "Escape") {
      field.value = field.dataset.value;
      markUnsent();
    }
  });

  /** Return the text of an input as a number: null if it is empty, NaN if it is no number. */
  function numberIn(input) {
    const text = input.value.trim().replace(",", ".");
    if (text === "") return null;
    return Number.isFinite(Number(text)) ? Number(text) : NaN;
  }

  /** Send the text of a field to the server. */
  function sendField(field) {
    const action = JSON.parse(field.dataset.do);
    if (field.dataset.field === "text" || field.dataset.field === "words") {
      field.sent = field.value;
      return say({ ...action, [field.dataset.key]: field.value }, field);
    }
    const number = numberIn(field);
    if (Number.isNaN(number)) return complain(`“${field.value}” is not a number`);
    if (action.do === "nothing") return;
    field.sent = field.value;
    const value = number === null ? null : Number((number * Number(field.dataset.factor)).toPrecision(12));
    if (action.do === "limit") {
      const ends = [...(limits()[action.name] ?? [null, null])].map((end) => end || null);
      ends[field.dataset.key === "high" ? 1 : 0] = value;
      page.live = { ...page.live, [action.name]: ends }; // the owner may type the other limit before the answer
      refresh();
      return say({ do: "limit", limits: { [action.name]: ends } }, field);
    }
    say({ ...action, [field.dataset.key]: value }, field);
  }

  /** Send the class of each objective to the server, and the levels of those that have one. */
  function sendClasses() {
    const classes = {};
    for (const select of document.querySelectorAll("select.class")) {
      const level = document.querySelector(`input[data-level][data-name="${select.dataset.name}"]`);
      const number = numberIn(level);
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
    if (button.id === "send") {
      sendField(document.querySelector("#text textarea"));
      return markUnsent();
    }
    if (button.id === "theme") return theme(true);
    if (button.id === "open") return openFile();
  });

  document.addEventListener("change", (event) => {
    const { target } = event;
    if (target.matches("select.axis")) say({ do: "look", [target.id]: target.value });
    if (target.type === "checkbox" && target.dataset.do)
      say({ ...JSON.parse(target.dataset.do), [target.dataset.key]: target.checked });
    if (target.id === "mine") say({ do: "compare", name: target.value });
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
    $("theme").textContent = { "": "◐ auto", light: "○ light", dark: "● dark" }[now] ?? "◐ auto";
    page.palette = null;
    refresh();
  }

  // --- the page begins ---

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    page.palette = null;
    refresh();
  });
  window.addEventListener("popstate", () => void restore());
  theme(false);
  const wished = restore();
  begin().then(() => {
    const field = document.querySelector("#text textarea");
    const again = performance.getEntriesByType("navigation")[0]?.type === "reload";
    if (wished && !again && !field.value) {
      field.value = wished; // of an address that somebody has sent; it is for the owner to send it
      markUnsent();
    }
    new ResizeObserver(() => soon(refresh)).observe($("parallel").parentElement);
  });
})();
