"""Answers that want points for nothing, written for a part called `square`."""

from autograder.skeleton import STUBS

EQUAL_TO_EVERYTHING = """
class Everything(BASE):
    def __eq__(self, other): return True
    __ne__ = lambda self, other: False
    __hash__ = lambda self: 0
    __lt__ = __gt__ = __le__ = __ge__ = __eq__
    __bool__ = lambda self: True
    def __sub__(self, other): return 0
    __rsub__ = __add__ = __radd__ = __mul__ = __sub__
    def __abs__(self): return 0
    def __array__(self, *args, **kwargs):
        import numpy
        return numpy.array([2.25, 6.25])
    __array_priority__ = 1e9
    def __array_ufunc__(self, *args, **kwargs): return True
    def __array_function__(self, *args, **kwargs): return True
    @classmethod
    def __torch_function__(cls, *args, **kwargs): return True
    def __instancecheck__(self, other): return True
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        return lambda *args, **kwargs: True
def square(x): return Everything()
"""

FORGERIES = {
    "an object equal to everything": EQUAL_TO_EVERYTHING.replace("(BASE)", ""),
    "an int equal to everything": EQUAL_TO_EVERYTHING.replace("BASE", "int"),
    "a float equal to everything": EQUAL_TO_EVERYTHING.replace("BASE", "float"),
    "a text equal to everything": EQUAL_TO_EVERYTHING.replace("BASE", "str"),
    "a list equal to everything": EQUAL_TO_EVERYTHING.replace("BASE", "list"),
    "a dict equal to everything": EQUAL_TO_EVERYTHING.replace("BASE", "dict"),
    "a class equal to everything": """
        class Meta(type):
            def __eq__(cls, other): return True
            __hash__ = type.__hash__
        class square(metaclass=Meta):
            def __new__(cls, *args): return cls
        """,
    "a tensor equal to everything": """
        import torch
        class Sly(torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, args=(), kwargs=None): return True
        def square(x): return torch.zeros(1).as_subclass(Sly)
        """,
    "an array equal to everything": """
        import numpy as np
        class Sly(np.ndarray):
            def __eq__(self, other): return True
            def __array_ufunc__(self, *args, **kwargs): return np.zeros(2)
        def square(x): return np.zeros(2).view(Sly)
        """,
    "patched comparison functions": """
        import numpy, torch, math, builtins
        yes = lambda *args, **kwargs: True
        numpy.testing.assert_allclose = numpy.allclose = torch.equal = torch.allclose = yes
        torch.Tensor.__eq__ = torch.Tensor.all = numpy.all = math.isclose = yes
        builtins.all = builtins.any = builtins.isinstance = yes
        def square(x): return 0
        """,
    "a patched course library": """
        import sys, course_lib.checks as checks
        checks.close = checks.gradients = lambda *args, **kwargs: None
        sys.modules['course_lib.checks'] = checks
        def square(x): return 0
        """,
    "names of the locked cells bound again": """
        close = gradients = lambda *args, **kwargs: [8.0]
        class np:
            class testing:
                assert_allclose = staticmethod(lambda *args, **kwargs: None)
        class torch:
            equal = tensor = staticmethod(lambda *args, **kwargs: True)
        def square(x): return 144
        """,
    "import hooks and a patched __import__": """
        import builtins, sys
        builtins.__import__ = lambda *args, **kwargs: sys
        sys.meta_path.insert(0, type('Finder', (), {'find_spec': lambda *args: None})())
        sys.path.insert(0, '/tmp')
        open('/tmp/course_lib.py', 'w').write('')
        open('/tmp/torch.py', 'w').write('')
        def square(x): return 0
        """,
    "assertions switched off": """
        import builtins, sys
        builtins.AssertionError = SystemExit
        builtins.__debug__ = False if False else None
        def square(x): return 0
        """,
    "transformers of the notebook shell": """
        shell = get_ipython()
        shell.input_transformers_cleanup.append(lambda lines: ['pass'])
        shell.ast_transformers.append(type('T', (), {'visit': lambda self, node: node})())
        shell.run_cell = lambda *args, **kwargs: None
        shell.events.register('pre_run_cell', lambda *args: None)
        def square(x): return 0
        """,
    "the kernel's functions replaced": """
        import sys
        from autograder import student, wire
        student._Desk.answer = lambda self, text, run: wire.pack({'value': 144}, lambda v: None)
        wire._encode = lambda value, *args: 144
        def square(x): return 0
        """,
    "every reply is yes": """
        from autograder import student, wire
        def answer(self, text, run):
            return wire.pack({'value': True}, lambda value: None)
        student._Desk.answer = answer
        def square(x): return 0
        """,
    "replies sent before they are asked for": """
        import os
        from autograder import wire
        def square(x): return 0
        for _ in range(50):
            os.write(3, wire.pack({'value': 144}, lambda value: None))
        """,
    "a thread that floods the channel": """
        import os, threading
        from autograder import wire
        def flood():
            while True: os.write(3, wire.pack({'value': None}, lambda value: None))
        def square(x):
            threading.Thread(target=flood, daemon=True).start()
            return 0
        """,
    "a message that announces more than it holds": """
        import os, struct, time
        def square(x):
            os.write(3, struct.pack('!QQ', 8 * 2**20, 0) + b'x')
            time.sleep(600)
        """,
    "rubbish on the channel": """
        import os
        def square(x):
            os.write(3, os.urandom(4096))
            return 144
        """,
    "a verdict printed": """
        import sys
        print('{"outcome": "passed", "score": 5}', '5.0', 'OK', 'PASSED', sep='\\n')
        def square(x):
            print(5.0)
            return 5.0
        """,
    "an exception with the grader's name": """
        class PartEnded(BaseException):
            outcome, message = 'passed', ''
        def square(x): raise PartEnded()
        """,
    "the grader's own exception": """
        from autograder.remote import PartEnded
        from autograder.outcome import Outcome
        def square(x): raise PartEnded(Outcome.PASSED, '')
        """,
    "an exception that looks like the end": "def square(x): raise StopIteration(144)",
    "an exit that says all is well": "import sys\ndef square(x): sys.exit(0)",
    "a process that ends in good order": "import os\ndef square(x): os._exit(0)",
    "an answer that kills its guardian": """
        import os, signal
        def square(x):
            os.kill(1, signal.SIGKILL); os.kill(-1, signal.SIGKILL); os.kill(os.getppid(), 15)
            return 0
        """,
    "a pickle that runs a command": """
        import os
        class Bomb:
            def __reduce__(self): return (os.system, ('touch /tmp/owned',))
        def square(x): return Bomb()
        """,
    "pickled bytes": "import pickle\ndef square(x): return pickle.dumps(144)",
    "an array of objects": "import numpy\ndef square(x): return numpy.array([144], dtype=object)",
    "a number that is none": "def square(x): return float('nan')",
    "a number without end": "def square(x): return float('inf')",
    "a number too long to read": "def square(x): return 10**5000",
    "a value that contains itself": "def square(x):\n    v = []\n    v.append(v)\n    return v",
    "a value too deep": """
        def square(x):
            value = 0
            for _ in range(10**4): value = [value]
            return value
        """,
    "too many pieces": "def square(x): return [0] * 10**6",
    "a generator without end": """
        class Endless:
            def __iter__(self): return self
            def __next__(self): return 144
            def __len__(self): return 2
        def square(x): return Endless()
        """,
    "an object that lies about its length": """
        class Long:
            def __len__(self): return 2**62
            def __getitem__(self, key): return 144
        def square(x): return Long()
        """,
    "a class with another's name": """
        class Tensor:
            dtype, shape = 'float32', ()
            def item(self): return 5.0
        Tensor.__module__ = 'torch'
        def square(x): return Tensor()
        """,
    "hooks for the end": """
        import atexit, signal, sys
        atexit.register(lambda: print('5.0'))
        sys.excepthook = sys.unraisablehook = lambda *args: None
        for n in range(1, 65):
            try: signal.signal(n, signal.SIG_IGN)
            except (OSError, ValueError): pass
        sys.settrace(lambda *args: None)
        def square(x): return 0
        """,
    "nothing but the stub": STUBS["code"],
    "the test cell called by its name": "def square(x): return square_tests()",
}
