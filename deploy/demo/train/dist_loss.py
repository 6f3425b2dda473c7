"""DIST: distil the relations in a teacher's predictions rather than their exact values.

Source: Huang, You, Wang, Qian, Xu, "Knowledge Distillation from A Stronger Teacher",
NeurIPS 2022, arXiv 2205.10536; official code github.com/hunto/DIST_KD.
"""

import torch
from torch import Tensor


def pearson(a: Tensor, b: Tensor, eps: float = 1e-8) -> Tensor:
    """Pearson correlation of each row of `a` with the same row of `b`: [n, m], [n, m] -> [n].

    A constant row has no correlation; `eps` makes it 0 instead of NaN.
    """
    a = a - a.mean(dim=1, keepdim=True)
    b = b - b.mean(dim=1, keepdim=True)
    return (a * b).sum(dim=1) / (a.norm(dim=1) * b.norm(dim=1) + eps)


def inter_class_relation(student: Tensor, teacher: Tensor) -> Tensor:
    """How differently the two rank the classes of one image: 1 - mean correlation of rows.

    [batch, classes] probabilities each -> scalar in [0, 2].
    """
    return 1 - pearson(student, teacher).mean()


def intra_class_relation(student: Tensor, teacher: Tensor) -> Tensor:
    """How differently the two rank the images of a batch for one class: the same, over columns."""
    return inter_class_relation(student.T, teacher.T)


def dist_loss(
    student_logits: Tensor,
    teacher_logits: Tensor,
    beta: float = 2.0,
    gamma: float = 2.0,
    tau: float = 1.0,
) -> Tensor:
    """The distillation part of the loss, to be added to alpha * cross-entropy on the labels.

        Y_s = softmax(Z_s / tau),  Y_t = softmax(Z_t / tau)           [batch, classes]
        inter = 1 - 1/B sum_i corr(Y_s[i, :], Y_t[i, :])
        intra = 1 - 1/C sum_j corr(Y_s[:, j], Y_t[:, j])
        loss  = tau^2 * (beta * inter + gamma * intra)                scalar >= 0

    tau^2 keeps the gradient's scale when tau changes (Hinton, Vinyals, Dean 2015). The official
    module has beta = gamma = 1 and tau = 1; ours are the caller's choice (see digits_models.py).
    """
    student = torch.softmax(student_logits / tau, dim=1)
    teacher = torch.softmax(teacher_logits / tau, dim=1)
    inter = inter_class_relation(student, teacher)
    intra = intra_class_relation(student, teacher)
    return tau**2 * (beta * inter + gamma * intra)
