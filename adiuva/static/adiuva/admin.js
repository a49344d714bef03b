// The admin's Content-Security-Policy allows no style that a script writes into the page, and htmx needs no eval.
htmx.config.includeIndicatorStyles = false;
htmx.config.allowEval = false;

// An axis that ends where its values do, as at 100 %: django-unfold gives all charts the same options.
Chart.register({
  id: "highest",
  beforeInit: ({ canvas, options }) => {
    if (canvas.dataset.highest) options.scales.y.max = Number(canvas.dataset.highest);
  },
});
