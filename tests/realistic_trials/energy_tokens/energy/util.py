import contextlib
import functools
import logging
import time


def logged(func):
    """Logs how long a method took, on the chief only."""

    @functools.wraps(func)
    def wrapper(self, *args, **kwargs):
        start = time.time()
        result = func(self, *args, **kwargs)
        if self.context.distributed.get_rank() == 0:
            logging.info("%s: %.2f s", func.__name__, time.time() - start)
        return result

    return wrapper


@contextlib.contextmanager
def section(title):
    logging.info("--- %s", title)
    try:
        yield
    finally:
        logging.info("--- end of %s", title)
