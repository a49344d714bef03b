// The admin's Content-Security-Policy allows no style that a script writes into the page, and htmx needs no eval.
htmx.config.includeIndicatorStyles = false;
htmx.config.allowEval = false;
