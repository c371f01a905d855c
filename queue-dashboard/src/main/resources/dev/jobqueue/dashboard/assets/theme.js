// Runs before the first paint, so that a chosen theme does not flash the other one.
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem('queue.theme');
  } catch {
    // Storage may be refused; then the system decides.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
})();
