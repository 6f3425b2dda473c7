"""The diabetes teacher and student, and how each is trained."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from diabetes_data import Patients


class Standardised(nn.Module):
    """Raw features [n, 10] -> progression [n, 1], around a network that sees and gives unit scale.

    The two scalings are in the graph, so a client sends what the clinic measured.
    """

    def __init__(self, network: nn.Module, train: Patients):
        super().__init__()
        features = torch.from_numpy(train.features)
        target = torch.from_numpy(train.progression)
        self.register_buffer("mean", features.mean(dim=0))
        self.register_buffer("per_std", 1 / features.std(dim=0))
        self.register_buffer("target_mean", target.mean())
        self.register_buffer("target_std", target.std())
        self.network = network

    def standardise(self, features: Tensor) -> Tensor:
        return (features - self.mean) * self.per_std

    def forward(self, features: Tensor) -> Tensor:
        unit = self.network(self.standardise(features))
        return unit * self.target_std + self.target_mean


class Ensemble(nn.Module):
    """`members` two-layer networks side by side in one graph; their mean: [n, 10] -> [n, 1]."""

    def __init__(self, members: int = 24, width: int = 96):
        super().__init__()

        def layer(inputs: int, outputs: int) -> tuple[nn.Parameter, nn.Parameter]:
            weight = torch.empty(members, inputs, outputs).normal_(std=(1 / inputs) ** 0.5)
            return nn.Parameter(weight), nn.Parameter(torch.zeros(members, 1, outputs))

        self.w1, self.b1 = layer(10, width)
        self.w2, self.b2 = layer(width, width)
        self.w3, self.b3 = layer(width, 1)
        self.drop = nn.Dropout(0.3)

    def per_member(self, x: Tensor) -> Tensor:
        """[n, 10] -> [members, n, 1]"""
        x = self.drop(torch.relu(torch.matmul(x, self.w1) + self.b1))
        x = self.drop(torch.relu(torch.matmul(x, self.w2) + self.b2))
        return torch.matmul(x, self.w3) + self.b3

    def forward(self, x: Tensor) -> Tensor:
        return self.per_member(x).mean(dim=0)


def train_teacher(train: Patients, seed: int, epochs: int = 120) -> Standardised:
    """Bagging: each member is fitted to its own bootstrap sample of the patients."""
    torch.manual_seed(seed)
    ensemble = Ensemble()
    teacher = Standardised(ensemble, train)
    features = teacher.standardise(torch.from_numpy(train.features))
    target = (torch.from_numpy(train.progression) - teacher.target_mean) / teacher.target_std
    members, n = len(ensemble.w1), len(train)
    drawn = torch.randint(n, (members, n))
    counts = torch.zeros(members, n).scatter_add_(1, drawn, torch.ones(members, n))

    optimizer = torch.optim.AdamW(teacher.parameters(), lr=1e-3, weight_decay=0.3)
    teacher.train()
    for _ in range(epochs):
        squared = (ensemble.per_member(features)[:, :, 0] - target) ** 2
        loss = (counts * squared).mean(dim=1).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return teacher.eval()


def distil_student(
    train: Patients, teacher: Standardised, seed: int, steps: int = 6000
) -> Standardised:
    """Copy the teacher on patients that never were: mixtures of two real ones, with noise added.

    The labels are not used. 331 patients are too few to show the teacher's shape, but the teacher
    can be asked about as many more as one likes.
    """
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    network = nn.Sequential(
        nn.Linear(10, 48), nn.ReLU(), nn.Linear(48, 24), nn.ReLU(), nn.Linear(24, 1)
    )
    student = Standardised(network, train)
    real = student.standardise(torch.from_numpy(train.features))
    optimizer = torch.optim.AdamW(network.parameters(), lr=4e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(steps):
        pair = torch.randint(len(real), (2, 256), generator=generator)
        share = torch.rand(256, 1, generator=generator) * 0.5
        noise = 0.3 * torch.randn(256, 10, generator=generator)
        patients = (1 - share) * real[pair[0]] + share * real[pair[1]] + noise
        with torch.no_grad():
            wanted = teacher.network(patients)
        loss = F.smooth_l1_loss(network(patients), wanted, beta=0.05)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
    return student.eval()
