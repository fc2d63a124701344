"""Grades a class of notebooks with nbgrader's folders and gradebook, but runs student code apart.

`outcome` says what a grade can be; `skeleton` and `intake` read without running; `sandbox`, `jail`
and `student` are where student code runs; `remote` and `runner` are where the tests run;
`gradebook` writes the result. This module imports nothing: it is also loaded inside the sandbox.
"""
