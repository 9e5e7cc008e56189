"""What is known of old APIs, as tables: names of PEDL and early Determined, of old Keras."""
