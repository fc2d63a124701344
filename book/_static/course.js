// A page opened from disk may not read its neighbours, so search shows titles without excerpts there.
if (location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
