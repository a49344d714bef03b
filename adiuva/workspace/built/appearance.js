// Runs before the first paint; a module would come too late, and the page's policy allows no script in the page itself.
// From then on the page always says its theme, and whether anything may move: what was chosen, in whichever tab, or what
// the system has at the moment.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const chosen = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // Storage is closed to this page: the system's choice holds.
    }
  };
  const show = () => {
    const theme = chosen("theme");
    const { dataset } = document.documentElement;
    dataset.theme = theme === "light" || theme === "dark" ? theme : dark.matches ? "dark" : "light";
    dataset.motion = chosen("motion") === "none" || still.matches ? "none" : "full";
  };
  show();
  dark.addEventListener("change", show);
  still.addEventListener("change", show);
  addEventListener("storage", show);
  addEventListener("appearance", show);
  // Paper is light.
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
  });
  addEventListener("afterprint", show);
})();
