from determined.keras import TFKerasTrial, TFKerasTrialContext


class BaseTrial(TFKerasTrial):
    def __init__(self, context: TFKerasTrialContext) -> None:
        self.context = context
        context.configure_fit(shuffle=False)

    def session_config(self):
        return None
