"""Short texts on which tokenizers go wrong."""

ODD = [
    "",
    " ",
    "a",
    "中",
    "👩\u200d👩\u200d👧 🇨🇳 emoji!",
    "unhappiness iPhone AIGC 元宇宙",
    "naïve café cafe\u0301 İstanbul ǅ ﬁ ΣΣ ß ẞ",
    "각니다 がぎぐ パピ กำ ह\u093fन\u094dद\u0940",
    "<font color=red>标题</font> &nbsp;&#160;",
    "a\u200bb\u00adc\ufeffd\x00e\ufffdf\u3000g\u00a0h\u2028i\x85j\x0bk\x1fl\ue000m",
    "don't can't I'm you've $5.30 +1-2=3 ^_^ ~` <|> {}[]\\",
    "[CLS] [MASK] and [SEP] [sep] [MASK][MASK]x[PAD]",
    "x" * 100 + " " + "x" * 101 + " " + "é" * 100,
    "\u0301 \u0301a a\u0301 \u0301",
    "한국어\r\n\ttabs\r\nand lines\n\n",
    "☃☂☠ ₿ ∀x∈ℝ: \u230ax\u230b ≠ ≤",
    "\ufa0e\uf900\U00020000\U0002f800 \u3007あア",
]
