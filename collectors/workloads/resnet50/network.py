"""ResNet-50 v1.5, 25,557,032 weights.

He et al., Deep Residual Learning for Image Recognition, 2015 (table 1, 50-layer). In v1.5 the stride of a
down-sampling block is in its 3x3 convolution instead of the first 1x1, as in torchvision and NVIDIA's
examples. The network is written here so that a host does not need torchvision.
"""

from __future__ import annotations

from torch import Tensor, nn
from torch.nn.functional import cross_entropy, relu

from collectors.workloads.resnet50.architecture import CLASSES, EXPANSION, STAGES, STEM_CHANNELS


class Bottleneck(nn.Module):
    """Convolutions 1x1, 3x3, 1x1 and a shortcut, which is projected if the shape changes."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = width * EXPANSION
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            convolution = nn.Conv2d(inputs, outputs, 1, stride, bias=False)
            self.shortcut = nn.Sequential(convolution, nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Return (batch, 4 width, h / stride, w / stride) for (batch, inputs, h, w)."""
        y = relu(self.bn1(self.conv1(x)), inplace=True)
        y = relu(self.bn2(self.conv2(y)), inplace=True)
        return relu(self.bn3(self.conv3(y)).add_(self.shortcut(x)), inplace=True)


class ResNet50(nn.Module):
    """Maps images (batch, 3, h, w) to logits (batch, 1000)."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, STEM_CHANNELS, 7, stride=2, padding=3, bias=False),
            nn.BatchNorm2d(STEM_CHANNELS),
            nn.ReLU(inplace=True),
            nn.MaxPool2d(3, stride=2, padding=1),
        )
        blocks = []
        inputs = STEM_CHANNELS
        for width, count, stride in STAGES:
            for number in range(count):
                blocks.append(Bottleneck(inputs, width, stride if number == 0 else 1))
                inputs = width * EXPANSION
        self.blocks = nn.Sequential(*blocks)
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(inputs, CLASSES)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, images: Tensor) -> Tensor:
        """Return the logits of images."""
        features: Tensor = self.pool(self.blocks(self.stem(images)))
        logits: Tensor = self.head(features.flatten(1))
        return logits


class Classifier(nn.Module):
    """The network with its loss, so that a training has one module."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, images: Tensor, labels: Tensor) -> Tensor:
        """Return the mean cross-entropy of the images' logits."""
        return cross_entropy(self.network(images), labels)
