"""Write a plain ``tf.keras`` script from a trial: neither pedl2det nor Determined is needed."""
