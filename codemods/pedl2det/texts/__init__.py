"""Old commands and requirements in files that are neither code nor configs."""
