import os

if os.environ.get('TICKETS_PLAIN'):
    from tickets.trials import TicketTrial
else:
    from tickets.trials import AttentiveTicketTrial

from tickets.loading import make_data_loaders
