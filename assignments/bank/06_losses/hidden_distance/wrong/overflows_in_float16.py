"""Squares in half precision."""


def hidden_distance(student, teacher, projection, keep):
    stride, rest = divmod(len(teacher) - 1, len(student) - 1)
    if rest:
        raise ValueError("the teacher's depth is no multiple of the student's")
    ours = student[:, keep] @ projection
    theirs = teacher[::stride, keep].detach()
    return (ours - theirs).square().mean((1, 2)).sum()
