// Fields: what differs from the server's value is not sent yet. It is never sent by itself, and it stays whatever the
// server answers. Dash builds a piece of the page again when an answer changes it: then the text that was not sent, the
// focus and the parts that were open are put back.
(() => {
  "use strict";
  const { $, complain, element, limits, onScene, page, refresh, say } = window.paretosched;

  const fields = () => [...document.querySelectorAll("#ask .field")];
  const boxOf = (field) => field.querySelector("input, textarea, select");
  const isUnsent = (field) => ![field.dataset.value, field.sent].includes(boxOf(field).value);

  /** Put a text into a field, and tell Dash. */
  function write(field, text) {
    const box = boxOf(field);
    if (box.value === text) return;
    box.value = text;
    const plain = box.nodeName === "SELECT" || field.dataset.field === "text"; // Dash keeps no state of these
    if (!plain) window.dash_clientside.set_props(box.id, { value: text });
  }

  // --- what is not sent yet ---

  const known = new WeakSet(); // fields that have their texts
  const drafts = new Map(); // the texts that are not sent yet, by the id of their field

  /** Mark the fields whose text is not sent yet, and say how many there are. */
  function markUnsent() {
    for (const field of fields()) {
      // Dash may have built it again just now
      if (!known.has(field) && drafts.has(field.id)) write(field, drafts.get(field.id));
      known.add(field);
    }
    const unsent = fields().filter(isUnsent);
    for (const field of fields()) {
      boxOf(field).toggleAttribute("data-unsent", unsent.includes(field));
      field.since = unsent.includes(field) ? (field.since ?? page.scene?.revision) : undefined;
      if (unsent.includes(field)) drafts.set(field.id, boxOf(field).value);
      else drafts.delete(field.id);
    }
    const count = unsent.filter((field) => JSON.parse(field.dataset.do).do !== "nothing").length; // “Find it” sends those
    const host = $("unsent");
    if (host.dataset.count === String(count)) return;
    host.dataset.count = count;
    host.replaceChildren();
    if (!count) return;
    const [send, back] = ["Send", "Take back"].map((words) =>
      Object.assign(element("button", words), { className: "button" }),
    );
    send.addEventListener("click", () => {
      fields().filter(isUnsent).forEach(sendField);
      markUnsent();
    });
    back.addEventListener("click", () => {
      for (const field of fields().filter(isUnsent)) write(field, field.dataset.value);
      complain("");
      markUnsent();
    });
    const words = count === 1 ? "One field is not sent yet" : `${count} fields are not sent yet`;
    host.append(`${words} (Enter sends it, Escape takes it back).`, " ", send, " ", back);
  }
  document.addEventListener("input", (event) => event.target.closest("#ask .field") && markUnsent(), true);

  document.addEventListener("keydown", (event) => {
    const field = event.target.closest("#ask .field");
    if (!field || event.target.nodeName === "SELECT") return;
    if (event.key === "Enter" && (!event.shiftKey || field.dataset.field === "text")) {
      event.preventDefault();
      if (field.dataset.level) return sendClasses();
      if (boxOf(field).value !== field.dataset.value) sendField(field);
      markUnsent();
    }
    if (event.key === "Escape") {
      write(field, field.dataset.value);
      markUnsent();
    }
  });

  let begun = false;
  /** Show the server's values in the fields whose text has been sent. */
  onScene((scene) => {
    if (!begun) for (const field of document.querySelectorAll("[data-field='class']")) write(field, field.dataset.value);
    begun = true;
    for (const [id, value] of Object.entries(scene.fields)) {
      const field = $(id);
      if (!field) continue; // of an objective that is measured since the page was opened
      known.add(field);
      const unsent = isUnsent(field);
      field.dataset.value = value;
      if (unsent) continue;
      write(field, value);
      field.sent = undefined;
    }
    markUnsent();
  });

  // --- after Dash has built a piece again ---

  let last = null; // the element that has the focus: how it is found again, and what is selected in it
  const wayTo = (node) =>
    node.id ? `#${CSS.escape(node.id)}` : node.dataset.do ? `[data-do="${CSS.escape(node.dataset.do)}"]` : "";

  function remember() {
    const node = document.activeElement;
    if (!node?.closest?.("#ask") || !wayTo(node)) return;
    last = { node, way: wayTo(node), from: node.selectionStart, to: node.selectionEnd };
  }
  document.addEventListener("focusin", remember);
  document.addEventListener("selectionchange", remember);
  document.addEventListener("focusout", ({ target }) =>
    queueMicrotask(() => target.isConnected && target === last?.node && (last = null)),
  );

  const opened = new Set(); // the ids of the parts that are open
  document.addEventListener(
    "toggle",
    ({ target }) => target.isConnected && opened[target.open ? "add" : "delete"](target.id),
    true,
  );

  /** Put back what was typed, opened and focused in the pieces that Dash has built again. */
  function putBack() {
    for (const id of opened) if ($(id)) $(id).open = true;
    if (last && !last.node.isConnected && document.activeElement === document.body) {
      const node = document.querySelector(last.way);
      const { from, to } = last;
      node?.focus({ preventScroll: true });
      if (node && typeof from === "number") node.setSelectionRange(from, to);
    }
    markUnsent();
  }

  // --- sending ---

  /** Return the text of a field as a number: null if it is empty, NaN if it is no number. */
  function numberIn(field) {
    const text = boxOf(field).value.trim().replace(",", ".");
    if (text === "") return null;
    return Number.isFinite(Number(text)) ? Number(text) : NaN;
  }

  /** Return a text that may have been pasted in several lines as one. */
  const oneLine = (text) => text.replace(/\s*[\r\n]+\s*/g, " ").trim();

  /** Send the text of a field to the server. */
  function sendField(field) {
    const action = JSON.parse(field.dataset.do);
    const seen = field.since ?? page.scene.revision; // what the owner saw who began to type
    if (field.dataset.field === "text") boxOf(field).value = oneLine(boxOf(field).value);
    const text = boxOf(field).value;
    if (action.do === "nothing") return;
    if (field.dataset.field !== "number") {
      field.sent = text;
      return say({ ...action, [field.dataset.key]: text, seen }, field);
    }
    const number = numberIn(field);
    if (Number.isNaN(number)) return complain(`“${text}” is not a number`);
    field.sent = text;
    const value = number === null ? null : Number((number * Number(field.dataset.factor)).toPrecision(12));
    if (action.do === "limit") {
      const ends = [...(limits()[action.name] ?? [null, null])].map((end) => end || null);
      ends[field.dataset.key === "high" ? 1 : 0] = value;
      page.live = { ...page.live, [action.name]: ends }; // the owner may type the other limit before the answer
      refresh();
      return say({ do: "limit", limits: { [action.name]: ends } }, field);
    }
    say({ ...action, [field.dataset.key]: value, seen }, field);
  }

  /** Send the class of each objective to the server, and the levels of those that have one. */
  function sendClasses() {
    const classes = {};
    for (const field of document.querySelectorAll("[data-field='class']")) {
      const { name } = field.dataset;
      const level = document.querySelector(`[data-level="${name}"]`);
      const number = numberIn(level);
      const kind = boxOf(field).value;
      const bounded = / to$/.test(kind) && Number.isFinite(number);
      classes[name] = [kind, bounded ? number * Number(level.dataset.factor) : null];
    }
    const chosen = fields().filter(({ dataset }) => dataset.name || dataset.level);
    const seen = Math.min(page.scene.revision, ...chosen.map(({ since }) => since ?? Infinity));
    say({ do: "classify", classes, seen }, chosen[0]);
  }

  /** Offer the owner a wish that somebody has sent in an address; it is for the owner to send it. */
  function offerWish(text) {
    if (boxOf($("text")).value) return;
    write($("text"), text);
    markUnsent();
  }

  Object.assign(window.paretosched, { markUnsent, offerWish, putBack, sendClasses, sendField });
})();
