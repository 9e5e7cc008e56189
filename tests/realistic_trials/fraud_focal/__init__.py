from fraud_data import make_data_loaders
from fraud_trial import FraudTrial
