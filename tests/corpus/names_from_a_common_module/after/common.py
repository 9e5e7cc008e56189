import tensorflow as tf

RATE = 0.01
