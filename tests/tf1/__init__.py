"""Compare old trials on the TensorFlow of their time with the same trials here."""
