"""One regular expression for all entries."""

import re


def decay_split(names, exempt=("bias", "norm.weight"), tied=None):
    def pattern(*entries):
        return re.compile(r"(?:^|\.)(?:" + "|".join(map(re.escape, entries)) + r")\Z")

    for entry in exempt:
        if not any(map(pattern(entry).search, names)):
            raise ValueError(entry)
    own = [name for name in names if name not in (tied or ())]
    out = {name for name in own if exempt and pattern(*exempt).search(name)}
    return [n for n in own if n not in out], [n for n in own if n in out]
