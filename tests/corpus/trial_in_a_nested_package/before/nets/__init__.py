from .cnn.small import Net
