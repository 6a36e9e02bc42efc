"""The dimensions of ResNet-50 v1.5, and the operations of a forward pass.

He et al., Deep Residual Learning for Image Recognition, 2015 (table 1, 50-layer).
"""

CLASSES = 1000
STEM_CHANNELS = 64  # after the first convolution
STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # width, blocks, stride of the first block
EXPANSION = 4  # output channels of a block per width


def multiply_adds(size: int) -> tuple[int, int]:
    """Return the multiply-adds of a forward pass over one image: of all layers, and of the first layer.

    size   pixels of a side
    """
    side = -(-size // 2)
    first = total = side**2 * STEM_CHANNELS * 3 * 7**2
    side = -(-side // 2)
    inputs = STEM_CHANNELS
    for width, blocks, stride in STAGES:
        outputs = width * EXPANSION
        for number in range(blocks):
            before, side = side, -(-side // stride) if number == 0 else side
            total += before**2 * inputs * width  # 1x1, before the stride
            total += side**2 * (width * width * 3**2 + width * outputs)
            if number == 0:
                total += side**2 * inputs * outputs  # projection of the shortcut
            inputs = outputs
    return total + inputs * CLASSES, first
