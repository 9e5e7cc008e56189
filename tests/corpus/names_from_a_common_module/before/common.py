import tensorflow as tf
from pedl.frameworks.keras import TFKerasTensorBoard, TFKerasTrial

RATE = 0.01
