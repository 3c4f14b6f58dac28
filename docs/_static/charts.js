// Charts are drawn before the page has its final width: they are fitted to it once more when it is there.
window.addEventListener("load", () => setTimeout(() => window.dispatchEvent(new Event("resize")), 100));
