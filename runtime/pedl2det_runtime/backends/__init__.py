"""All code that depends on the TensorFlow or Keras version, or on eager or graph mode."""
