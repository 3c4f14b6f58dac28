// The token of the page. The address that the terminal shows has it behind the #, which browsers send to nobody. It is
// kept for this window and this port, and every request to the page's own server has it in a header. There is no
// cookie: cookies go to all ports of a host, also to a server of another account.
(() => {
  "use strict";
  const KEY = "paretosched token"; // in sessionStorage, which each port has for itself
  const HEADER = "Paretosched-Token";
  const NEEDED = "This page needs the token that its owner's terminal shows, at the end of the address.";
  const ENDED =
    "That is not the token. A page that was started again needs the token that its terminal shows now. What you sent meanwhile is kept here.";

  const send = window.fetch.bind(window);
  let token = sessionStorage.getItem(KEY) ?? "";
  const waiting = []; // functions that go on when there is a token

  /** Take a token, or an address with one, and send what waits for it. */
  function take(text) {
    token = text.trim().split("token=").at(-1).split("&")[0];
    sessionStorage.setItem(KEY, token);
    document.getElementById("sign-in")?.remove();
    for (const go of waiting.splice(0)) go();
  }

  // a window that needs the token asks the others of this host and port, and gets it from the one that has it
  const others = new BroadcastChannel(KEY);
  others.addEventListener("message", ({ data }) => {
    if (!data && token) others.postMessage(token);
    if (data && !token) take(data);
  });

  /** Take the token out of the address, so that it does not stay there. */
  function takeFromAddress() {
    const parts = new URLSearchParams(location.hash.slice(1));
    if (!parts.has("token")) return;
    take(parts.get("token"));
    others.postMessage(token);
    parts.delete("token");
    history.replaceState(null, "", window.paretosched?.page.scene ? window.paretosched.address() : `#${parts}`);
  }

  /** Ask for the token; what is on the page stays. */
  function signIn(words) {
    if (document.getElementById("sign-in")) return;
    if (words === NEEDED) others.postMessage("");
    const form = Object.assign(document.createElement("form"), { id: "sign-in", autocomplete: "off" });
    const says = Object.assign(document.createElement("p"), { textContent: words });
    const box = Object.assign(document.createElement("input"), { type: "password", required: true });
    const label = document.createElement("label");
    label.append("Token, or the whole address", box);
    form.append(says, label, Object.assign(document.createElement("button"), { textContent: "Open", className: "button strong" }));
    says.setAttribute("role", "alert");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      take(box.value);
    });
    document.body.append(form);
    box.focus();
  }

  /** Do as the browser's fetch, with the token for the page's own server; without a right one, ask for it and wait. */
  window.fetch = async (address, more) => {
    if (new URL(address, location).origin !== location.origin) return send(address, more);
    for (;;) {
      if (!token) {
        signIn(NEEDED);
        await new Promise((go) => waiting.push(go));
      }
      const sent = token;
      const headers = new Headers(more?.headers);
      headers.set(HEADER, sent);
      const response = await send(address, { ...more, headers });
      if (response.status !== 401) return response;
      if (sent === token) token = "";
      if (!token) signIn(ENDED);
    }
  };

  /** Save the file behind a link: a link that is followed has no header, so its file is fetched. */
  async function save(link) {
    try {
      const response = await fetch(link.href);
      if (!response.ok) throw new Error(`Not saved: ${await response.text()}.`);
      const href = URL.createObjectURL(await response.blob());
      Object.assign(document.createElement("a"), { href, download: link.download }).click();
      setTimeout(() => URL.revokeObjectURL(href), 60000);
    } catch (error) {
      window.paretosched.complain(error instanceof TypeError ? "Not saved: the server does not answer." : error.message);
    }
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[download]");
    if (!link) return;
    event.preventDefault();
    void save(link);
  });

  takeFromAddress();
  window.addEventListener("popstate", takeFromAddress); // an address with another token was opened in this window
  // the browser fetches the values, and keeps them, while Dash is still loading
  void fetch("pulse")
    .then((response) => response.json())
    .then(({ front, columns }) => fetch(`front/${front}-${columns}.bin`));
})();
