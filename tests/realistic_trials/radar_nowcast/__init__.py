import os
import warnings

# numpy's FutureWarnings of TF 1.14 fill the trial logs
warnings.filterwarnings("ignore", category=FutureWarning)
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from model_def import NowcastTrial, make_data_loaders  # noqa: E402
