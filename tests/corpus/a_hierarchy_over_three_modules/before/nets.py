from base import Base


class Deep(Base):
    def __init__(self, hparams):
        super().__init__(hparams)
        self.depth = hparams.get("depth", 2)
