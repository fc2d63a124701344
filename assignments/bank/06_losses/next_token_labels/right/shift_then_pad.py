"""Appends a column of padding and looks one to the right."""

import torch


def next_token_labels(ids, text):
    empty = torch.zeros_like(ids[:, :1])
    shifted_ids = torch.cat([ids[:, 1:], empty], dim=1)
    shifted_text = torch.cat([text[:, 1:], empty], dim=1)
    return torch.where((shifted_text == text) & text.bool(), shifted_ids, -100)
