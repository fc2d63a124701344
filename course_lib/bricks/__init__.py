"""Bricks that every model here is built from."""
