"""Speed and memory beside the reference implementations, measured in one run."""
