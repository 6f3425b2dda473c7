"""The networks of the serving and ladder benches, as torch modules. Weights are random: what is measured is time."""

import torch
from torch import nn


class ConvBnAct(nn.Sequential):
    def __init__(self, inputs, outputs, kernel, stride=1, groups=1, act=nn.ReLU):
        layers = [
            nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False),
            nn.BatchNorm2d(outputs),
        ]
        super().__init__(*layers, *([act(inplace=True)] if act else []))


class ResidualBlock(nn.Module):
    """He et al. 2015, `basic` (two 3×3) or bottleneck with the stride in its 3×3, as torchvision has it."""

    def __init__(self, inputs, width, stride, basic):
        super().__init__()
        outputs = width if basic else 4 * width
        self.body = (
            nn.Sequential(ConvBnAct(inputs, width, 3, stride), ConvBnAct(width, outputs, 3, act=None))
            if basic
            else nn.Sequential(
                ConvBnAct(inputs, width, 1),
                ConvBnAct(width, width, 3, stride),
                ConvBnAct(width, outputs, 1, act=None),
            )
        )
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else ConvBnAct(inputs, outputs, 1, stride, act=None)

    def forward(self, x):
        return torch.relu(self.body(x) + self.shortcut(x))


def resnet(blocks, basic, classes=1000):
    layers = [ConvBnAct(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for stage, count in enumerate(blocks):
        width = 64 * 2**stage
        for block in range(count):
            layers.append(ResidualBlock(channels, width, 2 if stage > 0 and block == 0 else 1, basic))
            channels = width if basic else 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


def resnet50():
    return resnet([3, 4, 6, 3], basic=False)


def resnet18():
    return resnet([2, 2, 2, 2], basic=True)


class InvertedResidual(nn.Module):
    def __init__(self, inputs, outputs, stride, expansion):
        super().__init__()
        hidden = inputs * expansion
        self.adds = stride == 1 and inputs == outputs
        self.body = nn.Sequential(
            *([ConvBnAct(inputs, hidden, 1, act=nn.ReLU6)] if expansion > 1 else []),
            ConvBnAct(hidden, hidden, 3, stride, groups=hidden, act=nn.ReLU6),
            ConvBnAct(hidden, outputs, 1, act=None),
        )

    def forward(self, x):
        return x + self.body(x) if self.adds else self.body(x)


def mobilenet_v2(classes=1000):
    """Sandler et al. 2018, table 2, width 1."""
    layers = [ConvBnAct(3, 32, 3, 2, act=nn.ReLU6)]
    channels = 32
    for expansion, outputs, count, stride in [
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ]:
        for block in range(count):
            layers.append(InvertedResidual(channels, outputs, stride if block == 0 else 1, expansion))
            channels = outputs
    layers.append(ConvBnAct(channels, 1280, 1, act=nn.ReLU6))
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(1280, classes))


def mlp(*widths):
    layers = [layer for pair in zip(widths, widths[1:]) for layer in (nn.Linear(*pair), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


class EncoderLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.feed = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x, bias):
        def split(part):
            return part.unflatten(-1, (self.heads, -1)).transpose(1, 2)

        query, key, value = (split(part) for part in self.qkv(x).chunk(3, dim=-1))
        scores = query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5 + bias
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
        x = self.norm1(x + self.out(mixed))
        return self.norm2(x + self.feed(x))


class Encoder(nn.Module):
    """A BERT-like classifier of MiniLM's size: token and position embeddings, post-norm layers, the first token's logits."""

    def __init__(self, vocabulary=8000, positions=512, width=384, layers=6, heads=12, classes=2):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(EncoderLayer(width, heads) for _ in range(layers))
        self.head = nn.Linear(width, classes)

    def forward(self, input_ids, attention_mask):
        places = torch.arange(input_ids.shape[1], device=input_ids.device)
        x = self.norm(self.tokens(input_ids) + self.positions(places))
        bias = (1.0 - attention_mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return self.head(x[:, 0])


class FromPixels(nn.Module):
    """Takes the pixels as they are stored, one byte each, and normalises in the graph: a quarter of the bytes to send."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.register_buffer("mean", 255 * torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1))
        self.register_buffer("std", 255 * torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1))

    def forward(self, pixels):
        return self.network((pixels.to(torch.float32) - self.mean) / self.std)
