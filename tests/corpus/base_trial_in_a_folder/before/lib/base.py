from pedl.frameworks.keras import TFKerasTrial


class BaseTrial(TFKerasTrial):
    def session_config(self, hparams):
        return None
