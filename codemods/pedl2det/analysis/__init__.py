"""Facts about old code: files, names, values and where they flow, trials and their projects."""
