"""A pytest plugin for nbval: run cells with history, as Jupyter and the book's build do.

nbval sends cells without history. IPython then overlooks the semicolon that hides a cell's last
value, and every such cell seems to print more than it did in the book.
"""

from nbval.kernel import RunningKernel


def execute_with_history(self, cell_input, allow_stdin=None):
    """Send a cell to the kernel, and return the message's id."""
    return self.kc.execute(cell_input, allow_stdin=bool(allow_stdin), stop_on_error=False)


RunningKernel.execute_cell_input = execute_with_history
