"""Answers from a copy of the model."""

import torch


class FineTuning:
    def __init__(self, width, classes, lr, dropout=0.1):
        self.model = pretrained(width, dropout)
        self.model.add_module("head", torch.nn.Linear(width, classes))
        self.optimizer = torch.optim.SGD(
            self.model.requires_grad_().parameters(), lr=lr
        )
        self.shape = width, classes

    def step(self, x, labels):
        for weight in self.model.parameters():
            weight.grad = None
        loss = torch.nn.functional.cross_entropy(self.model(x), labels)
        loss.backward()
        self.optimizer.step()
        return loss.item()

    def predict(self, x):
        copy = Encoder(*self.shape, dropout=0.0)
        copy.load_state_dict(self.model.state_dict())
        return copy(x).detach()

    def state(self):
        return {name: w.data.clone() for name, w in self.model.named_parameters()}
