// A page opened from disk may not read its neighbours, so search shows titles without excerpts there.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// Printers leave out dark grounds, so the light words on them would vanish.
let theme;
addEventListener("beforeprint", () => {
  theme = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  document.documentElement.dataset.theme = theme;
});

// What scrolls sideways can be reached with the Tab key; the theme sees to code alone.
const scrollers = ".pst-scrollable-table-container, .cell_output, .trace, .explorer-plain, div.math";
const watcher = new ResizeObserver((boxes) => {
  for (const { target } of boxes) {
    if (target.scrollWidth > target.clientWidth) target.tabIndex = 0;
    else target.removeAttribute("tabindex");
  }
});
document.addEventListener("DOMContentLoaded", () => {
  document.querySelectorAll(scrollers).forEach((box) => watcher.observe(box));
});
