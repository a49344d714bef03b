// Runs before the first paint; a module would come too late, and the page's policy allows no script in the page itself.
// From then on the page always says its theme: what was chosen, in whichever tab, or what the system has at the moment.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // Storage is closed to this page: the system's theme holds.
    }
  };
  const show = () => {
    const theme = chosen();
    const shown = theme === "light" || theme === "dark" ? theme : system.matches ? "dark" : "light";
    document.documentElement.dataset.theme = shown;
  };
  show();
  system.addEventListener("change", show);
  addEventListener("storage", show);
  addEventListener("theme", show);
})();
