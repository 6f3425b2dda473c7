"""The digits teacher and student, and how each is trained."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

from digits_data import Digits
from dist_loss import dist_loss


class ConvBn(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int = 1):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, stride, padding=1, bias=False)
        self.bn = nn.BatchNorm2d(outputs)

    def forward(self, x: Tensor) -> Tensor:
        return self.bn(self.conv(x))

    def fuse(self) -> None:
        """Fold the normalisation into the convolution: the same function in one operator."""
        self.conv = fuse_conv_bn_eval(self.conv, self.bn)
        self.bn = nn.Identity()


class Residual(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.first = ConvBn(width, width)
        self.second = ConvBn(width, width)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x + self.second(F.relu(self.first(x))))


class Teacher(nn.Module):
    """A residual network that keeps the full 8x8 all the way: [n, 1, 8, 8] -> logits [n, 10].

    Far more work than the task needs, on purpose: it plays the expensive model in production.
    """

    def __init__(self, width: int = 112, depth: int = 6):
        super().__init__()
        self.stem = ConvBn(1, width)
        self.blocks = nn.Sequential(*(Residual(width) for _ in range(depth)))
        self.drop = nn.Dropout(0.3)
        self.head = nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.blocks(F.relu(self.stem(x)))
        return self.head(self.drop(x.mean(dim=(2, 3))))


class Student(nn.Module):
    """Three convolutions, 8x8 -> 4x4: [n, 1, 8, 8] -> logits [n, 10]."""

    def __init__(self, width: int = 16):
        super().__init__()
        self.first = ConvBn(1, width)
        self.second = ConvBn(width, 2 * width, stride=2)
        self.third = ConvBn(2 * width, 2 * width)
        self.head = nn.Linear(2 * width * 16, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.first(x))
        x = F.relu(self.second(x))
        x = F.relu(self.third(x))
        return self.head(x.flatten(1))


class Probabilities(nn.Module):
    """What is served: the network with its normalisations folded in, and softmax behind it."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network = network.eval()
        for module in self.network.modules():
            if isinstance(module, ConvBn):
                module.fuse()

    def forward(self, image: Tensor) -> Tensor:
        return torch.softmax(self.network(image), dim=1)


def augment(images: Tensor, generator: torch.Generator) -> Tensor:
    """Each image turned up to 12 degrees, scaled up to 10 % and shifted up to 0.7 pixel."""
    n = len(images)

    def uniform(limit: float) -> Tensor:
        return (torch.rand(n, generator=generator) * 2 - 1) * limit

    angle, scale = uniform(12 * torch.pi / 180), 1 + uniform(0.10)
    shift_x, shift_y = uniform(0.7 / 4), uniform(0.7 / 4)  # the grid spans 2 units for 8 pixels
    cos, sin = torch.cos(angle) * scale, torch.sin(angle) * scale
    affine = torch.stack([cos, -sin, shift_x, sin, cos, shift_y], dim=1).view(n, 2, 3)
    grid = F.affine_grid(affine, list(images.shape), align_corners=False)
    return F.grid_sample(images, grid, align_corners=False)


def fit(network: nn.Module, train: Digits, loss_of, epochs: int, rate: float, seed: int) -> None:
    """AdamW under a one-cycle learning rate; `loss_of(images, logits, labels)` -> scalar."""
    generator = torch.Generator().manual_seed(seed)
    images, labels = torch.from_numpy(train.inputs()), torch.from_numpy(train.labels)
    batch = 64
    steps = epochs * (len(train) // batch)
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps)
    network.train()
    for _ in range(epochs):
        order = torch.randperm(len(train), generator=generator)
        for rows in order.split(batch)[: len(train) // batch]:
            view = augment(images[rows], generator)
            loss = loss_of(view, network(view), labels[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    network.eval()


def train_teacher(train: Digits, seed: int, epochs: int = 40) -> Teacher:
    torch.manual_seed(seed)
    teacher = Teacher()
    fit(
        teacher,
        train,
        lambda _, logits, labels: F.cross_entropy(logits, labels, label_smoothing=0.05),
        epochs,
        rate=2e-3,
        seed=seed,
    )
    return teacher


def distil_student(train: Digits, teacher: Teacher, seed: int, epochs: int = 80) -> Student:
    """alpha * cross-entropy + DIST, alpha = 1, beta = gamma = 2, tau = 2.

    tau = 2 because a teacher this sure of itself is close to one-hot at tau = 1, and a one-hot
    row says nothing about how the wrong classes relate.
    """
    torch.manual_seed(seed)
    student = Student()

    def loss_of(images: Tensor, logits: Tensor, labels: Tensor) -> Tensor:
        with torch.no_grad():
            teacher_logits = teacher(images)
        distilled = dist_loss(logits, teacher_logits, beta=2.0, gamma=2.0, tau=2.0)
        return 1.0 * F.cross_entropy(logits, labels) + distilled

    fit(student, train, loss_of, epochs, rate=4e-3, seed=seed)
    return student
