"""What the example of P028 has beside."""

from rule_cases.cases import pedl_trial

AROUND = pedl_trial("", sizes="WIDTH = 4\nSCALE = 2\n")
