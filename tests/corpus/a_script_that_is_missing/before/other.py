import pedl

print(pedl.get_trial_id())
