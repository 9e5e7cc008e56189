from determined.keras import TFKerasTrialContext

from base import Base


class Deep(Base):
    def __init__(self, context: TFKerasTrialContext):
        super().__init__(context)
        self.depth = context.get_hparams().get("depth", 2)
