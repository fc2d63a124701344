// How the search ranks what it finds. As Sphinx has it, but names of the library get no head start:
// whoever asks for "rotary" wants the chapter first.
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: {},
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
