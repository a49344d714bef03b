// Runs before the first paint; a module would come too late, and the page's policy allows no script in the page itself.
(() => {
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") {
      document.documentElement.dataset.theme = theme;
    }
  } catch {
    // Storage is closed to this page: the system's theme holds.
  }
})();
