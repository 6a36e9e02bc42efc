"""OpenMMLab: MMEngine and MMCV logs."""
