"""What differs between TensorFlow and Keras versions and modes; all others ask here."""
