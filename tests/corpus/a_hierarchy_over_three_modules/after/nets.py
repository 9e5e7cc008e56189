from base import Base
from determined.keras import TFKerasTrialContext


class Deep(Base):
    def __init__(self, context: TFKerasTrialContext):
        self.context = context
        self.context.configure_fit(shuffle=False)
        super().__init__(context)
        self.depth = context.get_hparams().get("depth", 2)
