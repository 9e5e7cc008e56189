from nets import compiled
from pedl.frameworks.keras import TFKerasTrial


class Net(TFKerasTrial):
    def build_model(self, hparams):
        teacher = compiled(2 * hparams["units"])
        student = compiled(hparams["units"])
        student.teacher = teacher
        return student
