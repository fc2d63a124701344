"""Copies the body into a fresh encoder."""

import torch


class FineTuning:
    def __init__(self, width, classes, lr, dropout=0.1):
        self.encoder = Encoder(width, classes, dropout)
        self.encoder.body.load_state_dict(pretrained(width, dropout).body.state_dict())
        self.update = torch.optim.SGD(self.encoder.parameters(), lr)

    def step(self, x, labels):
        self.update.zero_grad(set_to_none=False)
        chances = self.encoder.train()(x).log_softmax(dim=1)
        loss = -chances[torch.arange(len(labels)), labels].mean()
        loss.backward()
        self.update.step()
        return loss.detach().item()

    @torch.no_grad()
    def predict(self, x):
        logits = self.encoder.eval()(x)
        self.encoder.train()
        return logits

    def state(self):
        return {
            n: torch.tensor(w.tolist()) for n, w in self.encoder.state_dict().items()
        }
