import pedl

pedl.Experiment()
