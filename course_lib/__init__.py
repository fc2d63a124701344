"""How BERT and GPT work inside: the library behind the course."""
