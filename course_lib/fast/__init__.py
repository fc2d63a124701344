"""The fast path: the same models with the same parameters, computed with less work.

`faster(model)` is called like the model and shares its parameters. Padding is left out, attention
runs in fused kernels, relative positions are read off without copies, and a window is computed
block by block. `Decoder` writes one token after another, `FastAdamW` moves weights. The readable
path is the specification: tests hold values and gradients of the two against each other on random
Specs.
"""

from course_lib.fast.decoder import Decoder
from course_lib.fast.models import FastTransformer, faster
from course_lib.fast.optim import FastAdamW

__all__ = ["Decoder", "FastAdamW", "FastTransformer", "faster"]
