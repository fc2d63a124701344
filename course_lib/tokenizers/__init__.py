"""Tokenizers, from the smallest one that works to the fast one."""
