"""Has a group of weights for the body and one for the head."""

import torch


class FineTuning:
    def __init__(self, width, classes, lr, dropout=0.1):
        model = pretrained(width, dropout)
        model.head = torch.nn.Linear(model.body.out_features, classes)
        model.body.weight.requires_grad_()
        model.body.bias.requires_grad_()
        groups = [{"params": part.parameters()} for part in (model.body, model.head)]
        self.model, self.sgd = model, torch.optim.SGD(groups, lr=lr)
        self.loss = torch.nn.CrossEntropyLoss()

    def step(self, x, labels):
        loss = self.loss(self.model(x), labels)
        loss.backward()
        self.sgd.step()
        self.sgd.zero_grad()
        return loss.item()

    def predict(self, x):
        self.model.eval()
        try:
            return self.model(x).detach()
        finally:
            self.model.train()

    def state(self):
        parts = {"body": self.model.body, "head": self.model.head}
        return {
            f"{part}.{name}": weight.detach().clone()
            for part, module in parts.items()
            for name, weight in module.named_parameters()
        }
