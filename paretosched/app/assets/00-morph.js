// Changes a part of the page into what the server has sent, and touches only what is different. So the focus stays, and
// so does text that the owner has typed and not sent.
(() => {
  "use strict";

  const OWN = ["data-unsent", "aria-pressed", "open"]; // attributes that only the browser sets

  /** Return whether an element is a field with a value of the server; other elements have data-value for readers. */
  const isField = (node) => node.dataset.value !== undefined && node.matches("[data-field], select");

  /** Return whether the owner has changed a field since the server's last value, and not sent it. */
  const isUnsent = (field) =>
    isField(field) && field.value !== field.dataset.value && field.value !== field.sent;

  /** Change the children of an element into those of some HTML that the server has sent. */
  function morph(host, html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    changeChildren(host, template.content);
  }

  const kindOf = (node) => (node.nodeType === 1 ? `${node.nodeName} ${node.classList[0] ?? ""}` : node.nodeType);

  /** Return the node that becomes `fresh`: the one with its id, or the next one of its kind without an id. */
  function matching(fresh, byId, place, wanted) {
    if (fresh.id) return byId.get(fresh.id);
    for (let node = place; node && !(node.id && wanted.has(node.id)); node = node.nextSibling)
      if (!node.id && kindOf(node) === kindOf(fresh)) return node;
    return undefined;
  }

  function changeChildren(old, fresh) {
    const byId = new Map([...old.children].filter((node) => node.id).map((node) => [node.id, node]));
    const wanted = new Set([...fresh.children].map((node) => node.id).filter(Boolean));
    let place = old.firstChild;
    for (const node of [...fresh.childNodes]) {
      const match = matching(node, byId, place, wanted);
      if (!match) {
        old.insertBefore(node, place);
        continue;
      }
      while (place && place !== match && !(place.id && wanted.has(place.id))) {
        const next = place.nextSibling;
        place.remove();
        place = next;
      }
      if (place === match) place = place.nextSibling;
      else old.insertBefore(match, place);
      change(match, node);
    }
    while (place) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
  }

  function change(old, fresh) {
    if (old.nodeType !== 1) {
      if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
      return;
    }
    if ("own" in old.dataset) {
      // the browser draws it
      for (const key of ["figure", "card"]) if (fresh.dataset[key]) old.dataset[key] = fresh.dataset[key];
      if (fresh.style.height) old.style.height = fresh.style.height;
      return;
    }
    const unsent = isUnsent(old);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    for (const { name } of [...old.attributes])
      if (!fresh.hasAttribute(name) && !OWN.includes(name)) old.removeAttribute(name);
    if (isField(old)) {
      if (!unsent && old.value !== old.dataset.value) old.value = old.dataset.value;
      if (!unsent) old.sent = undefined;
    } else if (old.nodeName !== "TEXTAREA") changeChildren(old, fresh);
  }

  window.paretosched = { isUnsent, morph };
})();
