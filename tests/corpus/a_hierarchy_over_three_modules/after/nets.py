from base import Base
from determined.keras import TFKerasTrialContext


class Deep(Base):
    def __init__(self, context: TFKerasTrialContext):
        super().__init__(context)
        self.depth = context.get_hparams().get("depth", 2)
